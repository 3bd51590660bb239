/** Variations of the engine: score and moves in SAN. */

import { makeSanAndPlay } from "chessops/san";
import { fenOf, moveOfUci, targetOf, uciOf, type ChessPosition, type Color } from "../chess";
import { h } from "../dom";
import { formatScore, whiteScore, type Info } from "../uci";

/** A move of a variation and the position after it. */
export interface LineMove {
  uci: string;
  san: string;
  /** Text before the move, such as `12.`; empty if not needed. */
  number: string;
  fen: string;
  squares: [number, number];
  check: boolean;
}

/** Longest part of a variation that is shown. */
const MAX_MOVES = 20;

/** Converts a variation to SAN; an illegal move ends it. */
export function lineMoves(start: ChessPosition, pv: readonly string[], chess960: boolean): LineMove[] {
  const position = start.clone();
  const moves: LineMove[] = [];
  for (const text of pv.slice(0, MAX_MOVES)) {
    const move = moveOfUci(position, text);
    if (!move) break;
    const white = position.turn === "white";
    const number = white ? `${position.fullmoves}.` : moves.length === 0 ? `${position.fullmoves}...` : "";
    const uci = uciOf(position, move, chess960);
    const san = makeSanAndPlay(position, move);
    moves.push({ uci, san, number, fen: fenOf(position), squares: [move.from, targetOf(uci)], check: position.isCheck() });
  }
  return moves;
}

/** Rows with the variations of a search. */
export class Lines {
  readonly element = h("div", { class: "lines", role: "group", tabindex: "-1", "aria-label": "Principal variations", "data-testid": "lines" });
  private rows: Row[] = [];

  constructor(
    private readonly onPlay: (moves: readonly LineMove[]) => void,
    private readonly onPreview: (anchor: Element | undefined, move?: LineMove) => void,
  ) {}

  /** Sets the number of rows and empties them. */
  reset(count: number): void {
    this.onPreview(undefined);
    this.rows = Array.from({ length: count }, (_, index) => new Row(index, this.onPlay, this.onPreview));
    const hadFocus = this.element.contains(document.activeElement);
    this.element.replaceChildren(...this.rows.map((row) => row.element));
    // The new rows have no moves yet; when they have, the Tab key leads from here to the first one.
    if (hadFocus) this.element.focus({ preventScroll: true });
  }

  show(index: number, info: Info, moves: readonly LineMove[], turn: Color): void {
    this.rows[index]?.show(info, moves, turn);
  }
}

class Row {
  readonly element: HTMLElement;
  private readonly score = h("span", { class: "score" });
  private readonly pv = h("span", { class: "pv" });
  /** The moves that are shown. */
  private moves: readonly LineMove[] = [];
  private latest: readonly LineMove[] = [];

  constructor(
    index: number,
    onPlay: (moves: readonly LineMove[]) => void,
    onPreview: (anchor: Element | undefined, move?: LineMove) => void,
  ) {
    this.element = h("div", { class: "line", "data-testid": `line-${index + 1}` }, this.score, this.pv);
    const indexOf = (target: EventTarget | null) => {
      const button = (target as Element | null)?.closest?.("button");
      return button ? Number(button.dataset.index) : undefined;
    };
    const preview = (event: Event) => {
      const at = indexOf(event.target);
      if (at === undefined) onPreview(undefined);
      else onPreview(this.element.parentElement ?? this.element, this.moves[at]);
    };
    this.pv.addEventListener("click", (event) => {
      const at = indexOf(event.target);
      if (at !== undefined) onPlay(this.moves.slice(0, at + 1));
    });
    this.pv.addEventListener("pointerover", (event) => {
      if (event.pointerType === "mouse") preview(event);
    });
    this.pv.addEventListener("focusin", (event) => {
      if ((event.target as Element).matches(":focus-visible")) preview(event);
    });
    this.pv.addEventListener("focusout", () => onPreview(undefined));
    this.element.addEventListener("pointerleave", () => onPreview(undefined));
    // After the event, when `:hover` and `:focus-within` have their new values.
    for (const type of ["pointerleave", "focusout"]) this.pv.addEventListener(type, () => setTimeout(() => this.showMoves()));
    this.pv.addEventListener("keydown", (event) => {
      const at = indexOf(event.target);
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (at === undefined || step === 0) return;
      event.preventDefault();
      this.pv.querySelector<HTMLElement>(`[data-index="${at + step}"]`)?.focus();
    });
  }

  show(info: Info, moves: readonly LineMove[], turn: Color): void {
    if (info.score) {
      const score = whiteScore(info.score, turn);
      const better = (info.bound === "lower") === (turn === "white");
      this.score.textContent = (info.bound ? (better ? "≥" : "≤") : "") + formatScore(score);
      this.score.classList.toggle("black", (score.cp ?? score.mate ?? 0) < 0);
    }
    this.latest = moves;
    this.showMoves();
  }

  /** Shows the latest moves, unless the pointer or the focus is on the line: a click must play what the user sees. */
  private showMoves(): void {
    if (this.moves === this.latest || (this.pv.matches(":hover, :focus-within") && this.moves.length > 0)) return;
    this.moves = this.latest;
    this.pv.replaceChildren(...this.moves.map((move, index) => h("span", { class: "pv-item" },
      move.number !== "" && h("span", { class: "move-number" }, move.number),
      h("button", { type: "button", class: "pv-move", tabindex: index === 0 ? "0" : "-1", "data-index": index, "data-uci": move.uci }, move.san))));
  }
}
