/** A game against the engine: turns, clocks, results. */

import { moveOfUci, nameOf, opposite, pgnResult, type Color, type GameResult, type Move } from "../chess";
import { Clock } from "../clock";
import type { Engine } from "../engine";
import { GameTree, type GameNode } from "../game";

export interface MatchSettings {
  /** FEN of the first position. */
  fen: string;
  /** Color of the user. */
  color: Color;
  /** Times in milliseconds; without a clock, `go` limits each move of the engine. */
  clock?: { base: number; increment: number } | undefined;
  /** Limit of the engine without a clock, such as `movetime 1000`. */
  go: string;
  /** Limited strength; full strength if absent. */
  elo?: number | undefined;
  /** Whether replies take at least a natural time: at low levels, searches end too soon for a game between people. */
  natural?: boolean;
}

export type MatchEngine = Pick<Engine, "search" | "cancel">;

/** A game that can be continued after the page was loaded again. */
export interface SavedMatch {
  settings: MatchSettings;
  moves: string[];
  /** Remaining times after each move, if there is a clock; the last entry is the current time. */
  times: Record<Color, number>[];
  result?: GameResult | undefined;
}

/** Memory of the transposition table in a game, in MB: enough for the usual time controls. */
const HASH = 64;

export class Match {
  readonly game: GameTree;
  readonly clock: Clock | undefined;
  result: GameResult | undefined;
  paused = false;
  /** What prevents the engine from moving; for users. */
  failure = "";
  /** Whether the next search is the first one of this game. */
  private isNew = true;
  private readonly times: Record<Color, number>[] = [];
  private readonly engineColor: Color;

  /** Calls `onChange` after each change except the passing of time. */
  constructor(
    readonly settings: MatchSettings,
    private readonly engine: MatchEngine,
    public onChange: () => void,
    now?: () => number,
  ) {
    this.game = new GameTree(settings.fen);
    this.engineColor = opposite(settings.color);
    if (settings.clock) {
      this.clock = new Clock(settings.clock.base, settings.clock.increment, now);
      this.times.push(this.clock.snapshot());
    }
  }

  /** Returns what `restore` needs. */
  save(): SavedMatch {
    const times = this.clock ? [...this.times, this.clock.snapshot()] : [];
    return { settings: this.settings, moves: this.game.moves(), times, result: this.result };
  }

  /** Continues a saved game; it is paused unless it is over. Returns `undefined` if `saved` is damaged. */
  static restore(saved: SavedMatch, engine: MatchEngine, now?: () => number): Match | undefined {
    try {
      const match = new Match(saved.settings, engine, () => undefined, now);
      if (match.game.playUci(saved.moves) < saved.moves.length) return undefined;
      match.result = saved.result;
      match.paused = !saved.result;
      const current = saved.times.at(-1);
      if (match.clock) {
        if (!current || saved.times.length !== saved.moves.length + 2) return undefined;
        match.times.splice(0, 1, ...saved.times.slice(0, -1));
        match.clock.restore(current);
      }
      return match;
    } catch {
      return undefined;
    }
  }

  /** The latest position. */
  get node(): GameNode {
    return this.game.current;
  }

  get turn(): Color {
    return this.node.position().turn;
  }

  get isOver(): boolean {
    return this.result !== undefined;
  }

  /** Whether the user is to move. */
  get isUserTurn(): boolean {
    return !this.isOver && !this.paused && this.turn === this.settings.color;
  }

  get canTakeBack(): boolean {
    return this.undone() !== undefined;
  }

  /** Starts the game. */
  start(): void {
    this.result = this.game.result();
    if (!this.isOver) this.clock?.start(this.turn);
    this.onChange();
    this.think();
  }

  /** Plays a move of the user. Ignored when it is not the user's turn. */
  play(move: Move): void {
    this.tick();
    if (this.isUserTurn) this.move(move);
  }

  /** Ends the game if the side to move ran out of time. */
  tick(): void {
    if (this.isOver || this.paused) return;
    const flagged = this.clock?.flagged();
    if (!flagged) return;
    const winner = opposite(flagged);
    this.end(
      this.node.position().hasInsufficientMaterial(winner)
        ? { winner: undefined, text: `Draw: ${nameOf(flagged)} ran out of time, but ${nameOf(winner)} has insufficient material to mate.` }
        : { winner, text: `${nameOf(flagged)} ran out of time. ${nameOf(winner)} wins.` },
    );
  }

  resign(): void {
    if (this.isOver) return;
    const winner = this.engineColor;
    this.end({ winner, text: `${nameOf(opposite(winner))} resigns. ${nameOf(winner)} wins.` });
  }

  /** Takes back the last move of the user and what followed it. The clocks return to that time. */
  takeBack(): void {
    const node = this.undone();
    if (!node) return;
    this.engine.cancel();
    for (const child of [...node.children]) this.game.remove(child);
    this.game.current = node;
    this.result = undefined;
    this.failure = "";
    this.times.length = node.ply + 1;
    const times = this.times[node.ply];
    if (this.clock && times) {
      this.clock.restore(times);
      if (!this.paused) this.clock.start(this.turn);
    }
    this.onChange();
  }

  /** Stops the clocks and the engine. */
  pause(): void {
    if (this.isOver || this.paused) return;
    this.tick();
    if (this.isOver) return;
    this.paused = true;
    this.clock?.pause();
    this.engine.cancel();
    this.onChange();
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.failure = "";
    // The engine may have searched another game in the meantime.
    this.isNew = true;
    this.clock?.start(this.turn);
    this.onChange();
    this.think();
  }

  /** Starts the search again after a failure of the engine. */
  retry(): void {
    if (this.paused) return;
    this.failure = "";
    this.clock?.start(this.turn);
    this.onChange();
    this.think();
  }

  /** Ends the game without a result. */
  abandon(): void {
    if (!this.isOver) this.engine.cancel();
    this.clock?.pause();
  }

  /** Tags for the PGN of the game. */
  pgnHeaders(engineName: string, date: Date): Record<string, string> {
    const { color, clock, elo } = this.settings;
    const name = `${engineName || "Aspirant"}${elo === undefined ? "" : ` (Elo ${elo})`}`;
    const two = (value: number) => String(value).padStart(2, "0");
    return {
      Event: "Game against Aspirant",
      Date: `${date.getFullYear()}.${two(date.getMonth() + 1)}.${two(date.getDate())}`,
      White: color === "white" ? "User" : name,
      Black: color === "black" ? "User" : name,
      Result: pgnResult(this.result),
      TimeControl: clock ? `${clock.base / 1000}+${clock.increment / 1000}` : "-",
      Termination: !this.result ? "unterminated" : this.clock?.flagged() ? "time forfeit" : "normal",
    };
  }

  /** The position to which a take back leads. */
  private undone(): GameNode | undefined {
    let node = this.node.parent;
    while (node && node.position().turn !== this.settings.color) node = node.parent;
    return node;
  }

  private move(move: Move): void {
    this.game.play(move);
    this.clock?.press();
    if (this.clock) this.times[this.node.ply] = this.clock.snapshot();
    const result = this.game.result();
    if (result) this.end(result);
    else {
      this.onChange();
      this.think();
    }
  }

  private end(result: GameResult): void {
    this.result = result;
    this.clock?.pause();
    this.engine.cancel();
    this.onChange();
  }

  /** Lets the engine search if it is to move. */
  private think(): void {
    if (this.isOver || this.paused || this.turn !== this.engineColor) return;
    const node = this.node;
    const { elo, go } = this.settings;
    const time = (color: Color) => Math.max(1, Math.floor(this.clock?.remaining(color) ?? 0));
    const increment = this.clock?.increment ?? 0;
    const newGame = this.isNew;
    this.isNew = false;
    const begin = performance.now();
    // The engine may still be loading; its clock starts with the search.
    this.clock?.pause();
    this.engine.search({
      fen: this.game.root.fen,
      moves: this.game.moves(),
      go: () => {
        this.clock?.start(this.engineColor);
        return this.clock ? `wtime ${time("white")} btime ${time("black")} winc ${increment} binc ${increment}` : go;
      },
      newGame,
      options: {
        Hash: HASH, MultiPV: 1, UCI_Chess960: this.game.chess960, UCI_ShowWDL: false, UCI_AnalyseMode: false,
        UCI_LimitStrength: elo !== undefined, ...(elo === undefined ? {} : { UCI_Elo: elo }),
      },
      onInfo: () => undefined,
      onBestmove: (uci) => {
        const answer = () => {
          if (node !== this.node || this.isOver || this.paused) return;
          this.tick();
          if (this.isOver) return;
          const move = moveOfUci(node.position(), uci ?? "");
          if (move) this.move(move);
          else this.fail(`The engine answered "${uci ?? "(none)"}", which is not a legal move. The clocks are stopped.`);
        };
        const wait = this.replyTime() - (performance.now() - begin);
        if (wait > 0) setTimeout(answer, wait);
        else answer();
      },
      onError: (text) => this.fail(text),
    });
  }

  /** Least time of a reply in milliseconds. */
  private replyTime(): number {
    if (!this.settings.natural) return 0;
    const left = this.clock ? this.clock.remaining(this.engineColor) / 60 : Infinity;
    return Math.min(left, 500 + Math.random() * 1500);
  }

  /** Searches a move for the user; `onMove` receives it in UCI notation. */
  hint(onMove: (uci: string) => void): void {
    if (!this.isUserTurn) return;
    const node = this.node;
    this.engine.search({
      fen: this.game.root.fen, moves: this.game.moves(), go: () => "movetime 1000",
      options: { Hash: HASH, MultiPV: 1, UCI_Chess960: this.game.chess960, UCI_LimitStrength: false },
      onInfo: () => undefined,
      onBestmove: (uci) => uci !== undefined && node === this.node && onMove(uci),
      onError: (text) => this.fail(text),
    });
  }

  private fail(text: string): void {
    this.failure = text;
    this.clock?.pause();
    this.onChange();
  }
}
