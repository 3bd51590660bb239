import type { App, View } from "../app";

export function mount(container: HTMLElement, app: App): View {
  container.textContent = app.fen;
  return { unmount() {} };
}
