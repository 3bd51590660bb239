import type { Color } from "./chess";
import { h } from "./dom";
import { expectedScore, formatScore, whiteScore, type Info } from "./uci";

/** A bar that shows the expected result of White. */
export class EvaluationBar {
  private readonly fill = h("div", { class: "eval-fill" });
  private readonly label = h("span", { class: "eval-label" });
  readonly element = h("div", {
    class: "eval-bar", role: "meter", "aria-label": "Evaluation", "aria-valuemin": 0, "aria-valuemax": 100, "data-testid": "evaluation",
  }, this.fill, this.label);

  constructor() {
    this.clear();
  }

  setOrientation(color: Color): void {
    this.element.classList.toggle("flipped", color === "black");
  }

  /** Shows a score from the view of `turn`. */
  show(info: Info, turn: Color): void {
    if (!info.score) return;
    const own = expectedScore(info.score, info.wdl);
    this.set(turn === "white" ? own : 1 - own, formatScore(whiteScore(info.score, turn)));
  }

  /** Shows the result of a finished game. */
  showResult(winner: Color | undefined): void {
    this.set(winner === "white" ? 1 : winner === "black" ? 0 : 0.5, winner === "white" ? "1-0" : winner === "black" ? "0-1" : "½");
  }

  clear(): void {
    this.set(0.5, "");
  }

  private set(white: number, text: string): void {
    const percent = Math.round(white * 1000) / 10;
    this.element.style.setProperty("--white", `${percent}%`);
    this.element.classList.toggle("white-ahead", white >= 0.5);
    this.label.textContent = text;
    this.element.setAttribute("aria-valuenow", String(Math.round(percent)));
    this.element.setAttribute("aria-valuetext", text === "" ? "no evaluation" : text);
  }
}
