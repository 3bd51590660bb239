/** A game with variations: navigation, PGN, results by rule. */

import { makeSanAndPlay, parseSan } from "chessops/san";
import {
  ChildNode, defaultGame, makePgn, Node, PgnParser, type Game, type PgnNodeData,
} from "chessops/pgn";
import {
  afterNullMove, fenOf, INITIAL_FEN, isChess960, NULL_SAN, NULL_UCI, type GameResult, type Move, moveOfUci, parsePosition, quote, resultByRule, targetOf, uciOf, type ChessPosition,
} from "./chess";

/** PGN that could not be loaded; the message is meant for users. */
export class PgnError extends Error {}

/** A position of a game and the move that led to it. */
export class GameNode {
  readonly children: GameNode[] = [];
  comments: string[] = [];
  startingComments: string[] = [];
  nags: number[] = [];

  constructor(
    readonly parent: GameNode | undefined,
    /** Move in UCI notation; empty at the root. */
    readonly uci: string,
    /** Move in SAN; empty at the root. */
    readonly san: string,
    readonly fen: string,
    /** Number of moves of either side since the start of the game. */
    readonly ply: number,
    /** Origin and destination of the move, for highlighting. */
    readonly squares: [number, number] | undefined,
  ) {}

  position(): ChessPosition {
    return parsePosition(this.fen);
  }

  /** Returns the nodes from the root to this one. */
  path(): GameNode[] {
    const nodes: GameNode[] = [];
    for (let node: GameNode | undefined = this; node; node = node.parent) nodes.push(node);
    return nodes.reverse();
  }

  /** Returns the last node of the line that continues from this one. */
  end(): GameNode {
    let node: GameNode = this;
    while (node.children[0]) node = node.children[0];
    return node;
  }
}

/** Identifies positions that are equal under the repetition rules. */
function repetitionKey(fen: string): string {
  return fen.split(" ").slice(0, 4).join(" ");
}

/** Values of the PGN tag `Variant` for chess and Chess960. */
const VARIANTS = ["standard", "chess", "from position", "chess960", "fischerandom", "fischerrandom", "fischer random"];

/** A game: a tree of nodes of which one is current. */
export class GameTree {
  readonly root: GameNode;
  readonly chess960: boolean;
  current: GameNode;
  headers = new Map<string, string>();

  /** Throws `FenError` if `fen` is not a legal position. */
  constructor(fen: string = INITIAL_FEN) {
    const position = parsePosition(fen);
    this.chess960 = isChess960(position);
    this.root = new GameNode(undefined, "", "", fenOf(position), 0, undefined);
    this.current = this.root;
  }

  /** Adds a legal move below `parent`, or returns the child that has it. */
  add(parent: GameNode, move: Move): GameNode {
    const position = parent.position();
    const uci = uciOf(position, move, this.chess960);
    const existing = parent.children.find((child) => child.uci === uci);
    if (existing) return existing;
    const from = "from" in move ? move.from : move.to;
    const san = makeSanAndPlay(position, move);
    const node = new GameNode(parent, uci, san, fenOf(position), parent.ply + 1, [from, targetOf(uci)]);
    parent.children.push(node);
    return node;
  }

  /** Adds a null move below `parent`, or returns the child that has it; `undefined` in check. */
  addNull(parent: GameNode): GameNode | undefined {
    const existing = parent.children.find((child) => child.uci === NULL_UCI), position = afterNullMove(parent.position());
    if (existing || !position) return existing;
    const node = new GameNode(parent, NULL_UCI, NULL_SAN, fenOf(position), parent.ply + 1, undefined);
    parent.children.push(node);
    return node;
  }

  /** Plays a legal move in the current position. */
  play(move: Move): GameNode {
    this.current = this.add(this.current, move);
    return this.current;
  }

  /** Plays moves in UCI notation from the current node; returns how many were legal. */
  playUci(moves: readonly string[]): number {
    for (const [index, uci] of moves.entries()) {
      const move = uci === NULL_UCI ? undefined : moveOfUci(this.current.position(), uci);
      const node = move ? this.add(this.current, move) : uci === NULL_UCI ? this.addNull(this.current) : undefined;
      if (!node) return index;
      this.current = node;
    }
    return moves.length;
  }

  /** Moves from the root to `node` in UCI notation. */
  moves(node: GameNode = this.current): string[] {
    return node.path().slice(1).map((step) => step.uci);
  }

  /** Returns the current position for a search: a start position and moves without a null move, which UCI does not have. */
  searchPosition(): { fen: string; moves: string[] } {
    const path = this.current.path(), moves = path.map(({ uci }) => uci), start = Math.max(0, moves.lastIndexOf(NULL_UCI));
    return { fen: path[start]!.fen, moves: moves.slice(start + 1) };
  }

  /** Returns players, event and result; empty if they are unknown. */
  title(): string {
    return titleOf(this.headers);
  }

  /** Returns the node that `moves` lead to from the start position `fen`, or without moves one with that FEN; `undefined` if there is none. */
  find(fen: string, moves: readonly string[]): GameNode | undefined {
    if (moves.length === 0 && fen === this.current.fen) return this.current;
    if (fen === this.root.fen) {
      return moves.reduce<GameNode | undefined>((node, uci) => node?.children.find((child) => child.uci === uci), this.root);
    }
    if (moves.length > 0) return undefined;
    const nodes = [this.root];
    for (const node of nodes) {
      if (node.fen === fen) return node;
      nodes.push(...node.children);
    }
    return undefined;
  }

  /** Returns the parameters of a URL that opens the line through the current node. */
  urlParams(): { fen: string | undefined; moves: string | undefined; ply: number | undefined } {
    const node = this.current;
    return {
      fen: this.root.fen === INITIAL_FEN ? undefined : this.root.fen,
      moves: this.moves(node.end()).join(" ") || undefined,
      ply: node.children.length > 0 ? node.ply : undefined,
    };
  }

  /** Removes `node` and what follows it. Its parent becomes current if the current node was removed. */
  remove(node: GameNode): void {
    const parent = node.parent;
    if (!parent) return;
    if (this.current.path().includes(node)) this.current = parent;
    parent.children.splice(parent.children.indexOf(node), 1);
  }

  /** Makes the line through `node` the main line. */
  promote(node: GameNode): void {
    for (const step of node.path()) {
      const siblings = step.parent?.children;
      if (!siblings) continue;
      siblings.splice(siblings.indexOf(step), 1);
      siblings.unshift(step);
    }
  }

  /** Returns how often the position of `node` occurred up to `node`. */
  repetitions(node: GameNode = this.current): number {
    const key = repetitionKey(node.fen);
    return node.path().filter((step) => repetitionKey(step.fen) === key).length;
  }

  /** Returns the result by rule at `node`, if the game ended there. */
  result(node: GameNode = this.current): GameResult | undefined {
    return resultByRule(node.position(), this.repetitions(node));
  }

  /** Returns the game in PGN; `headers` replaces or adds tags. */
  toPgn(headers: Record<string, string> = {}): string {
    const game = defaultGame<PgnNodeData>(() => new Map([
      ["Event", "?"], ["Site", "?"], ["Date", "????.??.??"], ["Round", "?"], ["White", "?"], ["Black", "?"], ["Result", "*"],
    ]));
    for (const [name, value] of [...this.headers, ...Object.entries(headers)]) game.headers.set(name, value);
    if (this.root.fen === INITIAL_FEN) {
      for (const name of ["FEN", "SetUp"]) game.headers.delete(name);
    } else {
      game.headers.set("SetUp", "1");
      game.headers.set("FEN", this.root.fen);
      if (this.chess960) game.headers.set("Variant", "Chess960");
    }
    if (this.root.comments.length > 0) game.comments = this.root.comments;
    const copy = (from: GameNode, to: Node<PgnNodeData>) => {
      for (const child of from.children) {
        const node = new ChildNode<PgnNodeData>({
          san: child.san, comments: child.comments, startingComments: child.startingComments, nags: child.nags,
        });
        to.children.push(node);
        copy(child, node);
      }
    };
    copy(this.root, game.moves);
    return wrap(makePgn(game));
  }

  /** Loads a game of `text`, the first unless `index` tells another; returns it with the games of the text. Throws `PgnError`. */
  static fromPgn(text: string, index = 0): { game: GameTree; titles: string[]; count: number } {
    const fail = (reason: string) => new PgnError(`PGN not loaded: ${reason}. The game is unchanged.`);
    if (text.trim() === "") throw fail("the text is empty; expected moves such as 1. e4 e5 2. Nf3");
    const { first, titles, count, start, end } = parseGames(text, index);
    if (!first) throw fail(`no moves in ${quote(text)}; expected moves such as 1. e4 e5 2. Nf3`);
    const unknown = unknownWord(text.slice(start, end));
    if (unknown !== undefined) throw fail(`${quote(unknown)} is no move; expected moves such as 1. e4 e5 2. Nf3`);
    const variant = first.headers.get("Variant");
    if (variant !== undefined && !VARIANTS.includes(variant.toLowerCase())) {
      throw fail(`variant ${quote(variant)} is not supported; expected standard chess or Chess960`);
    }
    let game: GameTree;
    try {
      game = new GameTree(first.headers.get("FEN"));
    } catch (error) {
      throw fail((error as Error).message.replace(". The position is unchanged.", ""));
    }
    game.headers = new Map([...first.headers].filter(([name]) => !["FEN", "SetUp", "Variant"].includes(name)));
    game.root.comments = first.comments ?? [];
    // An explicit stack: a long game would exceed the depth of recursion.
    const pending: [Node<PgnNodeData>, GameNode][] = [[first.moves, game.root]];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const [from, to] = next;
      for (const child of from.children) {
        const position = to.position();
        const move = child.data.san === NULL_SAN ? undefined : parseSan(position, child.data.san);
        const node = move ? game.add(to, move) : child.data.san === NULL_SAN ? game.addNull(to) : undefined;
        if (!node) {
          const number = `${position.fullmoves}${position.turn === "white" ? "." : "..."}`;
          throw fail(`move ${number} ${quote(child.data.san)} is not legal in the position ${quote(to.fen)}`);
        }
        node.comments = child.data.comments ?? [];
        node.startingComments = child.data.startingComments ?? [];
        node.nags = child.data.nags ?? [];
        pending.push([child, node]);
      }
    }
    return { game, titles, count };
  }
}

/** Returns players, event and result of a game; empty if they are unknown. */
function titleOf(headers: Map<string, string>): string {
  const value = (name: string) => (headers.get(name) ?? "?").replace(/^[?.]*$/, "");
  const [white, black, result] = [value("White"), value("Black"), value("Result").replace(/^\*$/, "")];
  const players = white || black ? `${white || "?"} – ${black || "?"}` : "";
  return [players, value("Event"), value("Date"), result].filter(Boolean).join(" · ");
}

/** Number of games of a PGN that can be chosen. */
const MAX_GAMES = 1000;

/** Returns the titles of the games of a PGN that have moves or a start position, one of them, and its place in the text. */
function parseGames(text: string, index: number) {
  let first: Game<PgnNodeData> | undefined;
  const titles: string[] = [];
  let count = 0, read = 0, lineStart = 0, begin = 0, start = 0, end = 0;
  const parser = new PgnParser((game) => {
    const isGame = game.moves.children.length > 0 || game.headers.has("FEN");
    if (isGame && count === index) [first, start, end] = [game, count === 0 ? 0 : begin, read];
    if (isGame) count++;
    if (isGame && titles.length < MAX_GAMES) titles.push(titleOf(game.headers) || "untitled");
    // The line that ended this game begins the next one.
    begin = lineStart;
  }, undefined, NaN);
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    lineStart = read;
    read += line.length;
    parser.parse(line, { stream: read < text.length });
  }
  return { first, titles, count, start, end };
}

const PGN_WORD = new RegExp("^(?:\\d+\\.*|\\.+|\\$\\d+|[!?]{1,2}|1-0|0-1|1/2-1/2|\\*|--|Z0|e\\.p\\.|" +
  "(?:[NBRQKP]?[a-h]?[1-8]?[-x:]?[a-h][1-8](?:=?\\(?[nbrqNBRQ]\\)?)?|[O0o]-[O0o](?:-[O0o])?)(?:\\+{1,2}|#)?[!?]{0,2})$");

/** Returns the first word of a PGN that is no move, move number, annotation or result: the parser skips it silently. */
function unknownWord(text: string): string | undefined {
  const moves = text.replace(/\{[^}]*\}?/g, " ").replace(/^\s*(?:\[.*\]|%.*)\s*$/gm, " ").replace(/;.*$/gm, " ");
  return moves.split(/[\s()]+/).map((word) => word.replace(/^\d+\.+(?=.)/, "")).find((word) => word !== "" && !PGN_WORD.test(word));
}

/** Wraps the moves of a PGN at 80 columns; tag lines stay whole. */
function wrap(pgn: string): string {
  return pgn.split("\n").map((line) => {
    if (line.startsWith("[")) return line;
    let column = 0;
    return line.split(" ").map((word) => {
      const separator = column === 0 ? "" : column + 1 + word.length > 80 ? "\n" : " ";
      column = separator === "\n" ? word.length : column + separator.length + word.length;
      return separator + word;
    }).join("");
  }).join("\n");
}
