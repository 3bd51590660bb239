/** The board editor: chessground moves the pieces; spare pieces are dragged to the board, or chosen and placed by clicks. */

import { Chessground } from "chessground/chessground";
import type { MouchEvent, Piece } from "chessground/types";
import { eventPosition } from "chessground/util";
import { Castles } from "chessops/chess";
import { INITIAL_FEN, parseFen } from "chessops/fen";
import type { Color } from "../chess";
import { h, icon } from "../dom";

const ROLES = ["king", "queen", "rook", "bishop", "knight", "pawn"] as const;
const COLORS = ["white", "black"] as const;
const RIGHTS = [["K", "white", "h", "White O-O"], ["Q", "white", "a", "White O-O-O"], ["k", "black", "h", "Black O-O"], ["q", "black", "a", "Black O-O-O"]] as const;

export interface Editor {
  /** Shows an error; the position stays as it is. */
  fail(message: string): void;
  close(): void;
}

/** Opens the editor in `place`, with a board that covers `board`. `done` receives a FEN, which may be invalid; `undefined` if nothing is to change. */
export function openEditor(board: HTMLElement, place: HTMLElement, fen: string, orientation: Color, done: (fen: string | undefined) => void): Editor {
  const host = h("div", { class: "board-host" });
  const cover = h("div", { class: "editor-board", "aria-hidden": "true", "data-testid": "editor-board" }, host);
  board.append(cover);
  const ground = Chessground(host, {
    fen, orientation, autoCastle: false,
    movable: { free: true, color: "both", showDests: false }, premovable: { enabled: false }, drawable: { enabled: false },
    draggable: { showGhost: false, deleteOnDropOff: true }, highlight: { lastMove: false }, animation: { enabled: false },
    events: { change: showRights },
  });

  // What a click on the board does: it places a piece, removes one, or selects one to move it.
  let brush: Piece | "move" | "remove" = "move";
  const tool = (value: typeof brush, label: string, content: Node) => {
    const button = h("button", { type: "button", class: "icon-button", "aria-label": label, title: label, "aria-pressed": value === brush ? "true" : "false", "data-testid": `editor-${label.toLowerCase().replaceAll(" ", "-")}` }, content);
    const choose = () => {
      brush = value;
      for (const other of tools) other.setAttribute("aria-pressed", String(other === button));
    };
    const drag = (event: Event) => {
      choose();
      if (typeof value !== "string") ground.dragNewPiece(value, event as MouchEvent, true);
    };
    button.addEventListener("click", choose);
    button.addEventListener("mousedown", drag);
    button.addEventListener("touchstart", drag, { passive: true });
    return button;
  };
  const tools: HTMLElement[] = [];
  tools.push(...COLORS.flatMap((color) => [
    color === "white" ? tool("move", "Move pieces", icon("move")) : tool("remove", "Remove pieces", icon("remove")),
    ...ROLES.map((role) => tool({ role, color }, `${color} ${role}`, h("piece" as "span", { class: `${role} ${color}` }))),
  ]));
  const paint = (event: Event) => {
    if (brush === "move") return;
    const position = eventPosition(event as MouchEvent), key = position && ground.getKeyAtDomPos(position);
    event.preventDefault();
    event.stopPropagation();
    if (!key) return;
    const old = ground.state.pieces.get(key);
    const same = brush === "remove" || (old?.role === brush.role && old.color === brush.color);
    ground.setPieces(new Map([[key, same ? undefined : brush as Piece]]));
    showRights();
  };
  for (const type of ["mousedown", "touchstart"]) cover.addEventListener(type, paint, { capture: true });

  const turn = h("select", { id: "editor-turn", "data-testid": "editor-turn", onchange: showRights }, h("option", { value: "w" }, "White"), h("option", { value: "b" }, "Black"));
  turn.value = fen.split(" ")[1] ?? "w";
  const castles = RIGHTS.map(([letter, color, side, label]) => {
    const box = h("input", { type: "checkbox", "data-testid": `editor-castling-${letter}` });
    return { box, letter, color, side, element: h("label", { class: "learn-check" }, box, ` ${label}`) };
  });
  const rights = (text: string) => parseFen(text).unwrap((setup) => Castles.fromSetup(setup).rook, () => undefined);
  /** Checks the castling rights of a position. */
  const setRights = (text: string) => {
    const given = rights(text);
    for (const { box, color, side } of castles) box.checked = given?.[color][side] !== undefined;
    showRights();
  };
  /** Follows a change: castling is possible only with the king and the rook at their places. */
  function showRights(): void {
    error.textContent = "";
    const possible = rights(`${ground.getFen()} w KQkq - 0 1`);
    for (const { box, color, side } of castles) box.disabled = possible?.[color][side] === undefined;
  }
  const error = h("p", { class: "field-error", role: "alert", "data-testid": "editor-error" });
  const set = (text: string) => {
    ground.set({ fen: text });
    setRights(text);
  };
  const button = (id: string, label: string, onclick: () => void, kind = "") => h("button", { type: "button", class: kind, "data-testid": `editor-${id}`, onclick }, label);
  const controls = h("section", { class: "card editor", "aria-label": "Board editor", "data-testid": "editor" },
    h("div", { class: "editor-tools cg-wrap", role: "group", "aria-label": "Pieces" }, ...tools),
    h("div", { class: "field" }, h("label", { for: "editor-turn" }, "Side to move"), turn),
    h("div", { class: "editor-castling", role: "group", "aria-label": "Castling rights" }, ...castles.map(({ element }) => element)),
    error,
    h("div", { class: "buttons" },
      button("done", "Done", () => {
        const castling = castles.map(({ box, letter }) => (box.checked && !box.disabled ? letter : "")).join("") || "-";
        done(`${ground.getFen()} ${turn.value} ${castling} - 0 1`);
      }, "primary"),
      button("cancel", "Cancel", () => done(undefined)),
      button("clear", "Clear board", () => set("8/8/8/8/8/8/8/8 w - - 0 1")),
      button("start", "Start position", () => set(INITIAL_FEN))));
  place.prepend(controls);
  setRights(fen);
  tools[0]!.focus({ preventScroll: true });
  return {
    fail: (message) => { error.textContent = message; },
    close() {
      ground.destroy();
      cover.remove();
      controls.remove();
    },
  };
}
