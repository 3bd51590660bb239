/** Lines of the UCI protocol. */

/** A score from the view of the side to move. */
export type Score = { cp: number; mate?: undefined } | { mate: number; cp?: undefined };

/** An `info` line. */
export interface Info {
  depth?: number;
  seldepth?: number;
  multipv: number;
  score?: Score;
  bound?: "lower" | "upper";
  /** Win, draw and loss in permille from the view of the side to move. */
  wdl?: [number, number, number];
  nodes?: number;
  nps?: number;
  hashfull?: number;
  tbhits?: number;
  time?: number;
  pv?: string[];
  string?: string;
}

/** An option that the engine declares. */
export interface UciOption {
  name: string;
  type: string;
  default?: string;
  min?: number;
  max?: number;
}

/** Parses an `info` line; returns `undefined` for other lines. Unknown and malformed fields are skipped. */
export function parseInfo(line: string): Info | undefined {
  const tokens = line.trim().split(/\s+/);
  if (tokens.shift() !== "info") return undefined;
  const info: Info = { multipv: 1 };
  const number = (): number | undefined => {
    if (!/^-?\d+$/.test(tokens[0] ?? "")) return undefined;
    return Number(tokens.shift());
  };
  while (tokens.length > 0) {
    const key = tokens.shift();
    switch (key) {
      case "depth":
      case "seldepth":
      case "nodes":
      case "nps":
      case "hashfull":
      case "tbhits":
      case "time": {
        const value = number();
        if (value !== undefined) info[key] = value;
        break;
      }
      case "multipv": {
        info.multipv = number() ?? 1;
        break;
      }
      case "score": {
        const kind = tokens.shift();
        const value = number();
        if (value === undefined) break;
        if (kind === "cp") info.score = { cp: value };
        if (kind === "mate") info.score = { mate: value };
        break;
      }
      case "lowerbound":
        info.bound = "lower";
        break;
      case "upperbound":
        info.bound = "upper";
        break;
      case "wdl": {
        const [win, draw, loss] = [number(), number(), number()];
        if (win !== undefined && draw !== undefined && loss !== undefined) info.wdl = [win, draw, loss];
        break;
      }
      case "pv":
        info.pv = tokens.splice(0);
        break;
      case "string":
        info.string = tokens.splice(0).join(" ");
        break;
    }
  }
  return info;
}

/** Parses a line `option name ... type ...`; returns `undefined` for other lines. */
export function parseOption(line: string): UciOption | undefined {
  const match = /^option name (.+?) type (\S+)(.*)$/.exec(line.trim());
  if (!match) return undefined;
  const [, name = "", type = "", rest = ""] = match;
  const option: UciOption = { name, type };
  const text = / default (.*?)(?= min | max | var |$)/.exec(rest)?.[1];
  if (text !== undefined) option.default = text;
  for (const key of ["min", "max"] as const) {
    const value = new RegExp(` ${key} (-?\\d+)`).exec(rest)?.[1];
    if (value !== undefined) option[key] = Number(value);
  }
  return option;
}

/** Parses a `bestmove` line; `move` is `undefined` if the engine has no move. */
export function parseBestmove(line: string): { move?: string; ponder?: string } | undefined {
  const tokens = line.trim().split(/\s+/);
  if (tokens[0] !== "bestmove") return undefined;
  const answer: { move?: string; ponder?: string } = {};
  if (tokens[1] && tokens[1] !== "(none)" && tokens[1] !== "0000") answer.move = tokens[1];
  if (tokens[2] === "ponder" && tokens[3]) answer.ponder = tokens[3];
  return answer;
}

/** Converts a score to the view of White. */
export function whiteScore(score: Score, turn: "white" | "black"): Score {
  const sign = turn === "white" ? 1 : -1;
  return score.mate === undefined ? { cp: sign * score.cp || 0 } : { mate: sign * score.mate };
}

/** Formats a score: pawns with two decimals, or `#n` for mate in n moves. */
export function formatScore(score: Score): string {
  if (score.mate !== undefined) return `#${score.mate}`;
  return `${score.cp > 0 ? "+" : ""}${(score.cp / 100).toFixed(2)}`;
}

/** Returns the expected result in 0..1 for the side from whose view `score` and `wdl` are. */
export function expectedScore(score: Score, wdl?: [number, number, number]): number {
  if (score.mate !== undefined) return score.mate > 0 ? 1 : 0;
  if (wdl) return (wdl[0] + wdl[1] / 2) / 1000;
  // The logistic curve of the Elo model, with 100 centipawns as 100 Elo.
  return 1 / (1 + 10 ** (-score.cp / 400));
}

/** Formats a count with the suffix k, M or G and at least three significant digits. */
export function formatCount(count: number): string {
  for (const [size, suffix] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]] as const) {
    if (count >= size) return (count / size).toFixed(count >= 100 * size ? 0 : count >= 10 * size ? 1 : 2) + suffix;
  }
  return String(count);
}
