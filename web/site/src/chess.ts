/** Positions and moves: parsing with messages for users, Chess960 start positions, results by rule. */

import { Chess, castlingSide, normalizeMove, type Position } from "chessops/chess";
import { INITIAL_FEN, makeFen, parseFen } from "chessops/fen";
import { parseSan } from "chessops/san";
import { isNormal, type Color, type Move, type NormalMove, type Role } from "chessops/types";
import { makeSquare, makeUci, opposite, parseUci } from "chessops/util";

export { INITIAL_FEN, opposite };
export type { Color, Move, NormalMove, Role };
export type ChessPosition = Position;

/** Text that is not a legal position; the message is meant for users. */
export class FenError extends Error {}

/** Text that is not a legal move; the message is meant for users. */
export class MoveError extends Error {}

const PIECES = "pnbrqkPNBRQK";

/** "White" or "Black". */
export const nameOf = (color: Color): string => (color === "white" ? "White" : "Black");

/** Shortens `text` for a message. */
export function quote(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return `"${line.length > 80 ? `${line.slice(0, 77)}...` : line}"`;
}

/** Returns what is wrong with the piece placement field of a FEN, if anything. */
function placementError(placement: string): string | undefined {
  const ranks = placement.split("/");
  if (ranks.length !== 8) {
    return `the piece placement ${quote(placement)} has ${ranks.length} rank${ranks.length === 1 ? "" : "s"}; expected 8 separated by "/"`;
  }
  for (const [index, rank] of ranks.entries()) {
    let squares = 0;
    for (const char of rank.replaceAll("~", "")) {
      if (char >= "1" && char <= "8") squares += Number(char);
      else if (PIECES.includes(char)) squares += 1;
      else return `${quote(char)} in rank ${8 - index} is not a piece; expected one of ${PIECES} or a number from 1 to 8`;
    }
    if (squares !== 8) return `rank ${8 - index} ${quote(rank)} has ${squares} squares; expected 8`;
  }
  return undefined;
}

/** Returns what is wrong with a FEN that could not be parsed. */
function syntaxError(text: string): string {
  const [placement = "", turn, castling, ep, halfmoves, fullmoves, ...rest] = text.trim().split(/[\s_]+/);
  const wrong = placementError(placement);
  if (wrong) return wrong;
  if (turn !== undefined && turn !== "w" && turn !== "b") return `side to move ${quote(turn)}; expected w or b`;
  if (castling !== undefined && !/^(-|[KQA-Hkqa-h]{1,4})$/.test(castling)) return `castling rights ${quote(castling)}; expected "-" or letters of KQkq or files`;
  if (ep !== undefined && !/^(-|[a-h][36])$/.test(ep)) return `en passant square ${quote(ep)}; expected "-" or a square on rank 3 or 6`;
  if (halfmoves !== undefined && !/^\d{1,4}$/.test(halfmoves)) return `halfmove clock ${quote(halfmoves)}; expected a number from 0 to 9999`;
  if (fullmoves !== undefined && !/^\d{1,4}$/.test(fullmoves)) return `move number ${quote(fullmoves)}; expected a number from 0 to 9999`;
  if (rest.length > 0) return `${6 + rest.length} fields; expected at most 6`;
  return "not a position in Forsyth-Edwards Notation";
}

/** Returns why a syntactically valid position cannot occur in a game. */
function legalityError(code: string, fen: string): string {
  const placement = fen.trim().split(/[\s_]+/)[0] ?? "";
  const kings = (char: string) => placement.split(char).length - 1;
  switch (code) {
    case "ERR_EMPTY":
      return "the board is empty; expected one king of each color";
    case "ERR_KINGS":
      return `${kings("K")} white and ${kings("k")} black kings; expected one of each`;
    case "ERR_OPPOSITE_CHECK":
      return "the side that is not to move is in check; expected the other side to move";
    case "ERR_PAWNS_ON_BACKRANK":
      return "a pawn on rank 1 or 8; expected pawns on ranks 2 to 7 only";
    default:
      return "this position cannot occur in a game";
  }
}

/** Parses a FEN; missing trailing fields have their usual defaults. Throws `FenError`. */
export function parsePosition(text: string): Position {
  if (text.trim() === "") throw new FenError("The FEN is empty; expected a position such as the start position. The position is unchanged.");
  const fail = (reason: string) => new FenError(`Invalid FEN ${quote(text)}: ${reason}. The position is unchanged.`);
  const setup = parseFen(text.trim());
  if (setup.isErr) throw fail(syntaxError(text));
  const position = Chess.fromSetup(setup.value);
  if (position.isErr) throw fail(legalityError(position.error.message, text));
  return position.value;
}

/** Returns the FEN of `position`. */
export function fenOf(position: Position): string {
  return makeFen(position.toSetup());
}

/** Returns whether castling in `position` differs from standard chess. */
export function isChess960(position: Position): boolean {
  for (const color of ["white", "black"] as const) {
    for (const side of ["a", "h"] as const) {
      const rook = position.castles.rook[color][side];
      if (rook === undefined) continue;
      if ((rook & 7) !== (side === "a" ? 0 : 7)) return true;
      if (((position.board.kingOf(color) ?? 4) & 7) !== 4) return true;
    }
  }
  return false;
}

/** Returns the UCI notation of `move`; castling is king takes rook only if `chess960`. */
export function uciOf(position: Position, move: Move, chess960: boolean): string {
  const side = castlingSide(position, move);
  if (side && isNormal(move) && !chess960) {
    const rank = move.from & ~7;
    return makeSquare(move.from) + makeSquare(rank + (side === "a" ? 2 : 6));
  }
  return makeUci(normalizeMove(position, move));
}

/** Returns the target square of a move in UCI notation; for castling in Chess960, the square of the rook. */
export function targetOf(uci: string): number {
  return "abcdefgh".indexOf(uci.charAt(2)) + 8 * (Number(uci.charAt(3)) - 1);
}

/** Returns the legal move that `uci` denotes, or `undefined`. Castling may be written in either way. */
export function moveOfUci(position: Position, uci: string): NormalMove | undefined {
  const move = parseUci(uci);
  if (!move || !isNormal(move)) return undefined;
  const normalized = normalizeMove(position, move);
  return isNormal(normalized) && position.isLegal(normalized) ? normalized : undefined;
}

/** Returns whether a move from `from` to `to` promotes a pawn. */
export function isPromotion(position: Position, from: number, to: number): boolean {
  return position.board.pawn.has(from) && (to < 8 || to >= 56);
}

/** Returns the legal move that a user typed in SAN or UCI notation. Throws `MoveError`. */
export function moveOfText(position: Position, text: string): NormalMove {
  const typed = text.trim();
  const move = moveOfUci(position, typed.toLowerCase());
  if (move) return move;
  const castled = typed.replace(/^[0oO]-[0oO]/, (match) => match.replace(/[0o]/g, "O")).replace(/-[0o]/g, "-O");
  // A lowercase piece letter is tried second: "bc4" is first a pawn move.
  for (const san of [castled, castled.charAt(0).toUpperCase() + castled.slice(1)]) {
    const parsed = parseSan(position, san);
    if (parsed && isNormal(parsed)) return parsed;
  }
  if (typed === "") throw new MoveError("No move was entered; expected a move such as e4, Nf3, O-O or e2e4.");
  if (!/^([a-h][1-8][a-h][1-8][qrbn]?|[oO0]-[oO0](-[oO0])?|[KQRBNkqrbn]?[a-h]?[1-8]?x?[a-h][1-8](=?[QRBNqrbn])?)[+#]?$/.test(typed)) {
    throw new MoveError(`${quote(typed)} is not a move; expected a move such as e4, Nf3, O-O or e2e4.`);
  }
  throw new MoveError(`${quote(typed)} is not a legal move for ${nameOf(position.turn)} in this position, or it is ambiguous.`);
}

/** A null move in SAN and in UCI notation. */
export const NULL_SAN = "--";
export const NULL_UCI = "0000";

/** Returns the position after a null move; `undefined` in check. */
export function afterNullMove(position: Position): Position | undefined {
  if (position.isCheck()) return undefined;
  const next = position.clone();
  if (next.turn === "black") next.fullmoves++;
  next.turn = opposite(next.turn);
  next.epSquare = undefined;
  next.halfmoves++;
  return next;
}

/** Number of Chess960 start positions. */
export const CHESS960_POSITIONS = 960;

/** Returns the FEN of a Chess960 start position by its number from 0 to 959; 518 is the standard position. */
export function chess960Fen(number: number): string {
  const files: string[] = Array<string>(8).fill("");
  const place = (piece: string, free: number) => {
    let index = -1;
    for (let left = free; left >= 0; left--) do index++; while (files[index] !== "");
    files[index] = piece;
  };
  let rest = number;
  const next = (count: number) => {
    const digit = rest % count;
    rest = Math.floor(rest / count);
    return digit;
  };
  files[next(4) * 2 + 1] = "b";
  files[next(4) * 2] = "b";
  place("q", next(6));
  // The knights take two of the five free squares, in lexicographic order.
  let first = 0;
  let pair = rest;
  while (pair >= 4 - first) pair -= 4 - first++;
  place("n", first);
  place("n", first + pair);
  place("r", 0);
  place("k", 0);
  place("r", 0);
  const rank = files.join("");
  return `${rank}/pppppppp/8/8/8/8/PPPPPPPP/${rank.toUpperCase()} w KQkq - 0 1`;
}

/** Returns the number that `text` denotes as a Chess960 start position. Throws `FenError`. */
export function parseChess960Number(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isInteger(number) || number < 0 || number >= CHESS960_POSITIONS) {
    throw new FenError(`Chess960 position ${quote(text)}; expected a number from 0 to 959. The position is unchanged.`);
  }
  return number;
}

/** Result of a finished game. */
export interface GameResult {
  winner: Color | undefined;
  /** One sentence such as "Checkmate. White wins." */
  text: string;
}

/** Returns the result that the rules give to a position; `repetitions` counts its occurrences in the game. */
export function resultByRule(position: Position, repetitions: number): GameResult | undefined {
  const ctx = position.ctx();
  if (position.isCheckmate(ctx)) {
    const winner = opposite(position.turn);
    return { winner, text: `Checkmate. ${nameOf(winner)} wins.` };
  }
  if (position.isStalemate(ctx)) return { winner: undefined, text: "Draw by stalemate." };
  if (position.isInsufficientMaterial()) return { winner: undefined, text: "Draw by insufficient material." };
  if (repetitions >= 3) return { winner: undefined, text: "Draw by threefold repetition." };
  if (position.halfmoves >= 100) return { winner: undefined, text: "Draw by the fifty-move rule." };
  return undefined;
}

/** Returns the result of a game in PGN notation. */
export function pgnResult(result: GameResult | undefined): string {
  if (!result) return "*";
  return result.winner === "white" ? "1-0" : result.winner === "black" ? "0-1" : "1/2-1/2";
}

const ROLES: Role[] = ["king", "queen", "rook", "bishop", "knight", "pawn"];

/** Describes the position in words, for screen readers. */
export function describePosition(position: Position): string {
  const side = (color: Color) => {
    const parts = ROLES.flatMap((role) => {
      const squares = [...position.board.pieces(color, role)].map(makeSquare);
      if (squares.length === 0) return [];
      return `${role}${squares.length > 1 ? "s" : ""} ${squares.join(" ")}`;
    });
    return `${nameOf(color)}: ${parts.join(", ")}.`;
  };
  return `${nameOf(position.turn)} to move${position.isCheck() ? ", in check" : ""}. ${side("white")} ${side("black")}`;
}

const ROLE_NAMES: Record<string, string> = { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight" };

/** Returns SAN in words that screen readers pronounce correctly. */
export function spokenSan(san: string): string {
  if (san === NULL_SAN) return "null move";
  if (san.startsWith("O-O")) return san.replace("O-O-O", "castles queenside").replace("O-O", "castles kingside").replace("+", ", check").replace("#", ", checkmate");
  return san
    .replace(/^[KQRBN]/, (letter) => `${ROLE_NAMES[letter]} `)
    .replace("x", " takes ")
    .replace(/=([QRBN])/, (_, letter: string) => ` promotes to ${ROLE_NAMES[letter]}`)
    .replace("+", ", check")
    .replace("#", ", checkmate")
    .replace(/ +/g, " ");
}
