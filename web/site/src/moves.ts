/** The move list and the buttons that step through it, shared by the views. */

import { spokenSan } from "./chess";
import { h, icon } from "./dom";
import type { GameNode, GameTree } from "./game";

const GLYPHS: Record<number, string> = {
  1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "□", 10: "=", 13: "∞", 14: "⩲", 15: "⩱", 16: "±", 17: "∓", 18: "+−", 19: "−+",
  22: "⨀", 23: "⨀", 32: "⟳", 33: "⟳", 36: "↑", 37: "↑", 40: "→", 41: "→", 44: "=∞", 45: "=∞", 132: "⇆", 133: "⇆", 138: "⊕", 139: "⊕", 146: "N",
};

/** Returns the number and side of the move that leads to `node`, such as `12.` or `12...`. */
function moveNumber(node: GameNode): string {
  const [, turn, , , , number = "1"] = node.fen.split(" ");
  return turn === "b" ? `${number}.` : `${Number(number) - 1}...`;
}

/** Describes the move that leads to `node` for screen readers. */
export function spokenMove(node: GameNode): string {
  if (!node.parent) return "Start position";
  const side = node.fen.split(" ")[1] === "b" ? "White" : "Black";
  return `${moveNumber(node).replace(/\.+/, "")}, ${side}: ${spokenSan(node.san)}`;
}

/** Shows the moves of a game, with variations, and selects one. */
export class MoveList {
  readonly element = h("div", { class: "moves", role: "group", "aria-label": "Moves", "data-testid": "moves" });
  private readonly buttons = new Map<GameNode, HTMLButtonElement>();
  private current: GameNode | undefined;

  constructor(private readonly onSelect: (node: GameNode) => void) {
    // The arrow keys to the left and right follow the main line only.
    this.element.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      const moves = [...this.element.querySelectorAll<HTMLElement>(".move")];
      const focused = moves.indexOf(document.activeElement as HTMLElement);
      if (step === 0 || focused < 0) return;
      event.preventDefault();
      moves[focused + step]?.focus();
    });
  }

  /** Renders all moves. */
  render(game: GameTree, current: GameNode = game.current): void {
    this.buttons.clear();
    this.current = undefined;
    const rows: Node[] = [];
    for (const comment of game.root.comments) rows.push(h("p", { class: "comment" }, text(comment)));
    let node = game.root.children[0];
    let row: HTMLElement | undefined;
    while (node) {
      const white = node.fen.split(" ")[1] === "b";
      if (white || !row) {
        row = h("div", { class: "move-row" }, h("span", { class: "move-number" }, white ? moveNumber(node) : moveNumber(node).replace("...", ".")));
        if (!white) row.append(h("span", { class: "move-gap" }, "…"));
        rows.push(row);
      }
      row.append(this.button(node));
      const siblings = node.parent!.children.slice(1);
      const notes = node.comments.map(text).filter(Boolean);
      if (siblings.length > 0 || notes.length > 0) {
        for (const note of notes) rows.push(h("p", { class: "comment" }, note));
        for (const sibling of siblings) rows.push(h("div", { class: "variation" }, ...this.variation(sibling)));
        row = undefined;
      } else if (!white) {
        row = undefined;
      }
      node = node.children[0];
    }
    if (rows.length === 0) rows.push(h("p", { class: "hint" }, "No moves yet."));
    const hadFocus = this.element.contains(document.activeElement);
    this.element.replaceChildren(...rows);
    this.select(current);
    if (hadFocus) this.element.querySelector<HTMLElement>('.move[tabindex="0"]')?.focus({ preventScroll: true });
  }

  /** Marks the move that leads to `node`. */
  select(node: GameNode): void {
    const previous = this.current && this.buttons.get(this.current);
    previous?.removeAttribute("aria-current");
    previous?.setAttribute("tabindex", "-1");
    this.current = node;
    const button = this.buttons.get(node) ?? this.buttons.values().next().value;
    button?.setAttribute("tabindex", "0");
    if (!this.buttons.has(node)) {
      this.element.scrollTop = 0;
      return;
    }
    button?.setAttribute("aria-current", "true");
    // Scrolls the list only; scrollIntoView would move the page away from the board.
    if (button) {
      const list = this.element.getBoundingClientRect();
      const box = button.getBoundingClientRect();
      if (box.top < list.top) this.element.scrollTop -= list.top - box.top + 8;
      if (box.bottom > list.bottom) this.element.scrollTop += box.bottom - list.bottom + 8;
    }
  }

  private button(node: GameNode): HTMLButtonElement {
    const glyphs = node.nags.map((nag) => (nag < 10 ? "" : " ") + (GLYPHS[nag] ?? `$${nag}`)).join("");
    const button = h("button", {
      type: "button", class: "move", tabindex: "-1", "aria-label": `${moveNumber(node).replace(/\.+/, ".")} ${node.san}${glyphs}, ${spokenMove(node).replace(/^\d+, /, "")}`, "data-ply": node.ply, "data-testid": "move", onclick: () => this.onSelect(node),
    }, node.san + glyphs);
    this.buttons.set(node, button);
    return button;
  }

  private variation(start: GameNode): Node[] {
    const parts: Node[] = [document.createTextNode("(")];
    let numbered = false;
    for (let node: GameNode | undefined = start; node; node = node.children[0]) {
      const number = moveNumber(node);
      if (!numbered || !number.endsWith("...")) parts.push(h("span", { class: "move-number" }, number));
      numbered = true;
      parts.push(this.button(node));
      for (const note of node.comments.map(text).filter(Boolean)) parts.push(h("span", { class: "comment" }, note));
      if (node !== start) {
        for (const sibling of node.parent!.children.slice(1)) {
          parts.push(...this.variation(sibling));
          numbered = false;
        }
      }
    }
    parts.push(document.createTextNode(")"));
    return parts;
  }
}

/** Removes commands such as `[%clk 0:10]` from a PGN comment. */
function text(comment: string): string {
  return comment.replace(/\[%[^\]]*\]/g, "").trim();
}

export type Step = "first" | "previous" | "next" | "last";

const STEPS: [Step, string][] = [
  ["first", "First position"], ["previous", "Previous move"], ["next", "Next move"], ["last", "Last position"],
];

/** Creates the buttons that step through the moves. */
export function stepButtons(onStep: (step: Step) => void): HTMLElement {
  return h("div", { class: "steps", role: "group", "aria-label": "Step through the moves" },
    ...STEPS.map(([step, label]) =>
      h("button", { type: "button", class: "icon-button", "aria-label": label, title: label, "data-testid": `step-${step}`, onclick: () => onStep(step) }, icon(step))));
}

/** Returns the node that a step leads to from `node`. */
export function stepFrom(node: GameNode, step: Step): GameNode {
  switch (step) {
    case "first":
      return node.path()[0] ?? node;
    case "previous":
      return node.parent ?? node;
    case "next":
      return node.children[0] ?? node;
    case "last":
      return node.end();
  }
}

const KEYS: Record<string, Step> = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" };

/** Calls `onKey` with the keys that are not meant for a field; returns a function that ends this. */
export function listenKeys(onStep: (step: Step) => void, onKey: (key: string) => boolean): () => void {
  const listener = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (target.closest("input, select, textarea, [contenteditable]")) return;
    const step = KEYS[event.key];
    if (step) onStep(step);
    else if (!onKey(event.key)) return;
    event.preventDefault();
  };
  document.addEventListener("keydown", listener);
  return () => document.removeEventListener("keydown", listener);
}
