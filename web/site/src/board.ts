/** The board: chessground, the choice of a promotion, a move input for the keyboard, and a description in words. */

import { Chessground } from "chessground/chessground";
import type { Api } from "chessground/api";
import type { DrawShape } from "chessground/draw";
import type { Key } from "chessground/types";
import { chessgroundDests } from "chessops/compat";
import { makeSquare, parseSquare } from "chessops/util";
import { describePosition, isPromotion, moveOfText, moveOfUci, type Color, type Move } from "./chess";
import { h, setInvalid } from "./dom";
import type { GameNode } from "./game";

export interface BoardPosition {
  node: GameNode;
  chess960: boolean;
  orientation: Color;
  /** Side whose pieces can be moved; none if absent. */
  movable?: Color | "both" | undefined;
  /** Whether a move can be entered before it is this side's turn. */
  premove?: boolean;
}

/** An arrow for a variation; rank 0 is the best one. */
export interface Arrow {
  from: number;
  to: number;
  rank: number;
}

const PROMOTIONS = ["queen", "knight", "rook", "bishop"] as const;

const ARROW_WIDTHS = [15, 9, 7.5, 6.5, 5.5];

const brush = (key: string, color: string, opacity: number) => ({ key, color, opacity, lineWidth: 10 });

const BRUSHES = {
  green: brush("g", "#15803d", 1),
  red: brush("r", "#b42318", 1),
  blue: brush("b", "#1d4ed8", 1),
  yellow: brush("y", "#d97706", 1),
  best: brush("best", "#1747a6", 1),
  other: brush("other", "#1747a6", 0.55),
};

const keys = (squares: readonly number[] | undefined): Key[] => (squares ?? []).map((square) => makeSquare(square) as Key);

export class Board {
  /** The square with the board. */
  readonly element: HTMLElement;
  /** The text input for moves. */
  readonly moveForm: HTMLFormElement;
  private readonly ground: Api;
  private readonly description = h("p", { class: "visually-hidden", "data-testid": "board-description" });
  private readonly input: HTMLInputElement;
  private readonly moveError = h("p", { class: "field-error", id: "move-error", role: "alert", "data-testid": "move-error" });
  private position: BoardPosition | undefined;
  private chooser: HTMLElement | undefined;
  private arrows = "";

  /** Calls `onMove` with each legal move that the user makes. */
  constructor(private readonly onMove: (move: Move) => void) {
    const host = h("div", { class: "board-host", "aria-hidden": "true" });
    this.element = h("div", { class: "board", role: "group", tabindex: "-1", "aria-label": "Chess board", "data-testid": "board" }, host, this.description);
    this.ground = Chessground(host, {
      coordinates: true,
      animation: { enabled: !matchMedia("(prefers-reduced-motion: reduce)").matches, duration: 150 },
      movable: { free: false, showDests: true, rookCastle: true, events: { after: (from, to, data) => this.moved(from, to, data.premove) } },
      premovable: { enabled: false, showDests: true, castle: true },
      draggable: { enabled: true, showGhost: true },
      drawable: { enabled: true, brushes: BRUSHES },
    });
    this.input = h("input", {
      type: "text", id: "move-input", name: "move", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
      placeholder: "e4, Nf3, e2e4", size: "10", "aria-describedby": "move-error", enterkeyhint: "go", "data-testid": "move-input",
    });
    this.moveForm = h("form", { class: "move-form", "data-testid": "move-form" },
      h("label", { for: "move-input", class: "visually-hidden" }, "Move"), this.input,
      h("button", { type: "submit", "data-testid": "move-submit" }, "Play"), this.moveError);
    this.moveForm.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submitText();
    });
    this.input.addEventListener("input", () => this.showMoveError(""));
  }

  show(position: BoardPosition): void {
    if (position.node !== this.position?.node) this.showMoveError("");
    this.position = position;
    this.closeChooser();
    const chess = position.node.position();
    const side = position.movable;
    const own = side === "both" || side === chess.turn;
    this.ground.set({
      fen: position.node.fen,
      orientation: position.orientation,
      turnColor: chess.turn,
      check: chess.isCheck(),
      lastMove: keys(position.node.squares),
      viewOnly: false,
      movable: {
        ...(side ? { color: side } : {}),
        dests: own ? (chessgroundDests(chess, { chess960: position.chess960 }) as Map<Key, Key[]>) : new Map<Key, Key[]>(),
      },
      premovable: { enabled: position.premove === true },
    });
    if (!side) this.ground.state.movable.color = undefined;
    this.description.textContent = describePosition(chess);
    this.element.dataset.fen = position.node.fen;
    // Not disabled: a disabled field would lose the focus.
    this.input.readOnly = !own;
    this.moveForm.querySelector("button")!.disabled = !own;
  }

  /** Plays a move that was entered before it was this side's turn, if it is legal now. */
  playPremove(): void {
    this.ground.playPremove();
  }

  cancelPremove(): void {
    this.ground.cancelPremove();
  }

  setArrows(arrows: readonly Arrow[]): void {
    const state = JSON.stringify(arrows);
    if (state === this.arrows) return;
    this.arrows = state;
    // Drawn in reverse order, so that the best one is on top.
    const shapes = arrows.map(({ from, to, rank }): DrawShape => ({
      orig: makeSquare(from) as Key,
      dest: makeSquare(to) as Key,
      brush: rank === 0 ? "best" : "other",
      modifiers: { lineWidth: ARROW_WIDTHS[rank] ?? 5 },
    }));
    this.ground.setAutoShapes(shapes.reverse());
  }

  destroy(): void {
    this.closeChooser();
    this.ground.destroy();
  }

  private moved(from: string, to: string, premove: boolean): void {
    const position = this.position;
    if (!position) return;
    const chess = position.node.position();
    const fromSquare = parseSquare(from);
    const toSquare = parseSquare(to);
    if (fromSquare === undefined || toSquare === undefined) return;
    const promotes = isPromotion(chess, fromSquare, toSquare);
    if (promotes && !premove) {
      this.choosePromotion(from, to, chess.turn);
      return;
    }
    this.play(`${from}${to}${promotes ? "q" : ""}`);
  }

  private play(uci: string): void {
    const position = this.position;
    if (!position) return;
    const move = moveOfUci(position.node.position(), uci);
    if (move) this.onMove(move);
    else this.show(position);
  }

  private choosePromotion(from: string, to: string, color: Color): void {
    const position = this.position;
    if (!position) return;
    this.closeChooser();
    const file = to.charCodeAt(0) - "a".charCodeAt(0);
    const column = position.orientation === "white" ? file : 7 - file;
    const top = (to.charAt(1) === "8") === (position.orientation === "white");
    const choices = h("div", { class: "promotion-choices", style: `left: ${column * 12.5}%; ${top ? "top" : "bottom"}: 0` });
    const close = (uci?: string) => {
      this.closeChooser();
      if (uci) this.play(uci);
      else this.show(position);
    };
    const buttons = PROMOTIONS.map((role) => {
      const letter = role === "knight" ? "n" : role.charAt(0);
      return h("button", { type: "button", "aria-label": `Promote to ${role}`, "data-testid": `promote-${role}`, onclick: () => close(from + to + letter) },
        h("piece" as "span", { class: `${role} ${color}` }));
    });
    choices.append(...(top ? buttons : [...buttons].reverse()));
    this.chooser = h("div", { class: "promotion cg-wrap", role: "dialog", "aria-label": "Choose the piece of the promotion", "data-testid": "promotion" }, choices);
    this.chooser.addEventListener("click", (event) => {
      if (event.target === this.chooser) close();
    });
    this.chooser.addEventListener("keydown", (event) => {
      const index = buttons.indexOf(document.activeElement as HTMLButtonElement);
      if (event.key === "Escape") close();
      else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        const order = top ? 1 : -1;
        buttons[(index + (event.key === "ArrowDown" ? order : -order) + buttons.length) % buttons.length]?.focus();
      } else return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.element.append(this.chooser);
    buttons[0]?.focus();
  }

  private closeChooser(): void {
    this.chooser?.remove();
    this.chooser = undefined;
  }

  private submitText(): void {
    if (!this.position) return;
    try {
      const move = moveOfText(this.position.node.position(), this.input.value);
      this.input.value = "";
      this.showMoveError("");
      this.onMove(move);
    } catch (error) {
      this.showMoveError((error as Error).message);
    }
  }

  private showMoveError(message: string): void {
    this.moveError.textContent = message;
    setInvalid(this.input, message !== "");
  }
}

/** A small board without interaction that follows the pointer over a variation. */
export class Preview {
  private readonly element = h("div", { class: "preview", "aria-hidden": "true", "data-testid": "preview", hidden: true });
  private readonly ground: Api;

  constructor(parent: HTMLElement) {
    const host = h("div", { class: "board-host" });
    this.element.append(host);
    parent.append(this.element);
    this.ground = Chessground(host, { viewOnly: true, coordinates: false, animation: { enabled: false } });
  }

  /** Shows `fen` below or above `anchor`. */
  show(anchor: Element, fen: string, lastMove: readonly [number, number], check: boolean, orientation: Color): void {
    const box = anchor.getBoundingClientRect();
    this.element.hidden = false;
    const size = this.element.offsetWidth;
    const left = Math.max(8, Math.min(box.left, innerWidth - size - 8));
    const top = box.bottom + size + 16 < innerHeight ? box.bottom + 8 : Math.max(8, box.top - size - 8);
    this.element.style.left = `${left}px`;
    this.element.style.top = `${top}px`;
    this.ground.set({ fen, orientation, lastMove: keys(lastMove), check });
    this.ground.redrawAll();
  }

  hide(): void {
    this.element.hidden = true;
  }

  destroy(): void {
    this.ground.destroy();
    this.element.remove();
  }
}
