import type { App, View } from "../app";

/** Mounts the view of the reference algorithms. */
export function mount(container: HTMLElement, _app: App): View {
  const section = document.createElement("section");
  section.className = "card";
  section.textContent = "This view is not available in this build.";
  container.append(section);
  return { unmount() {} };
}
