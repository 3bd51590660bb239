/** The data of an algorithm at a step: pseudocode, path, OPEN list, memory and bounds. All of it follows from the walk. */

import type { Replay, Step } from "../../../../game-tree/src/drawing/viewer.js";
import { h } from "../dom";
import { codeOf, currentLine, inSearchOrder, openCase } from "./pseudocode";

/** Longest part of a list that is shown. */
const MAX_ROWS = 12;

/** Data that steps change. It follows a replay forward and starts again when the replay goes back. */
abstract class Derived {
  /** Steps applied; -1 before the first reset, which needs the fields of the class. */
  private now = -1;

  constructor(protected readonly replay: Replay) {}

  protected abstract reset(): void;
  protected abstract apply(step: Step): void;

  /** Applies the steps up to that of the replay. */
  follow(): this {
    if (this.now < 0 || this.now > this.replay.now) {
      this.now = 0;
      this.reset();
    }
    for (; this.now < this.replay.now; this.now++) this.apply(this.replay.steps[this.now]!);
    return this;
  }
}

export interface OpenState {
  node: number;
  merit: number;
  solved: boolean;
}

/** The OPEN list of SSS* and DUAL*: Stockman's operator, applied to the states that the walk takes. */
export class OpenList extends Derived {
  private states = new Map<number, OpenState>();

  protected reset(): void {
    const { infinity, algorithm } = this.replay.data;
    this.states = new Map([[0, { node: 0, merit: algorithm === "dual*" ? -infinity : infinity, solved: false }]]);
  }

  protected apply(step: Step): void {
    const { nodes, data } = this.replay;
    const add = (node: number | null | undefined, merit: number, solved: boolean) => {
      if (node !== null && node !== undefined) this.states.set(node, { node, merit, solved });
    };
    const { parent } = nodes[step.n]!, children = inSearchOrder(this.replay, step.n), merit = step.v ?? 0;
    if (step.t === "leaf") {
      const taken = this.taken ?? merit;
      add(step.n, data.algorithm === "dual*" ? Math.max(taken, merit) : Math.min(taken, merit), true);
    }
    if (step.t !== "open") return;
    this.states.delete(step.n);
    this.taken = merit;
    switch (openCase(this.replay, step.n, step.solved === true)) {
      case "1":
        for (const node of [...this.states.keys()]) {
          for (let up = nodes[node]!.parent; up !== null; up = nodes[up]!.parent) if (up === parent) this.states.delete(node);
        }
        add(parent, merit, true);
        break;
      case "2": {
        const siblings = inSearchOrder(this.replay, parent!);
        add(siblings[siblings.indexOf(step.n) + 1], merit, false);
        break;
      }
      case "3":
        add(parent, merit, true);
        break;
      case "5":
        add(children[0], merit, false);
        break;
      case "6":
        for (const child of children) add(child, merit, false);
        break;
    }
  }

  /** Merit of the state that was taken last. */
  private taken: number | undefined;

  unsorted(): OpenState[] {
    return [...this.states.values()];
  }

  /** Returns the states, the one that is taken next first. */
  sorted(): OpenState[] {
    const sign = this.replay.data.algorithm === "dual*" ? 1 : -1;
    const places = (node: number) => {
      const places: number[] = [];
      for (let at = node; at !== 0; at = this.replay.nodes[at]!.parent!) places.unshift(inSearchOrder(this.replay, this.replay.nodes[at]!.parent!).indexOf(at));
      return places;
    };
    const leftmost = (a: number[], b: number[]) => {
      const at = a.findIndex((place, index) => place !== b[index]);
      return at < 0 ? a.length - b.length : b[at] === undefined ? 1 : a[at]! - b[at]!;
    };
    return [...this.states.values()].sort((a, b) => sign * (a.merit - b.merit) || leftmost(places(a.node), places(b.node)));
  }
}

export interface StoredBounds {
  /** The node of the last change. */
  node: number;
  lower: number;
  upper: number;
}

/** The bounds in memory, for MAX; a position with the same number of remaining plies has one entry. */
export class Memory extends Derived {
  private entries = new Map<string, StoredBounds>();

  protected reset(): void {
    this.entries = new Map();
  }

  protected apply(step: Step): void {
    if (step.t !== "leaf" && step.t !== "leave") return;
    const { nodes, data } = this.replay, { position, ply } = nodes[step.n]!, value = step.v ?? 0;
    const key = position === "" ? String(step.n) : `${ply} ${position}`;
    const entry = this.entries.get(key) ?? { node: step.n, lower: -data.infinity, upper: data.infinity };
    if (step.sign !== "≤") entry.lower = Math.max(entry.lower, value);
    if (step.sign !== "≥") entry.upper = Math.min(entry.upper, value);
    entry.node = step.n;
    // The latest entry is the last one.
    this.entries.delete(key);
    this.entries.set(key, entry);
  }

  /** Returns the entries, the latest first. */
  latest(): StoredBounds[] {
    return [...this.entries.values()].reverse();
  }
}

/** Sentences on the bounds of the root between the passes of MTD(f). */
export function boundsText(replay: Replay): string {
  const [low, high] = replay.bounds;
  const win = replay.steps[replay.now - 1]?.t === "pass" ? replay.nextWindow() : replay.state[0]?.win;
  const gamma = win ? `, γ = ${replay.num(win[1])}` : "";
  const state = `f⁻ = ${replay.num(low)}, f⁺ = ${replay.num(high)}${gamma}.`;
  return replay.ended ? `${state} The bounds meet: the value is known, and the search stops.` : state;
}

/** Draws the data of the algorithms of the walks; `hasMemory` tells whether an algorithm has a memory. */
export function stateDrawer(hasMemory: (algorithm: string) => boolean, isPredicting: () => boolean) {
  const open = new WeakMap<Replay, OpenList>(), memories = new WeakMap<Replay, Memory>();
  const of = <T>(map: WeakMap<Replay, T>, replay: Replay, create: () => T) => {
    let found = map.get(replay);
    if (!found) map.set(replay, (found = create()));
    return found;
  };

  return (container: HTMLElement, replay: Replay): void => {
    const { algorithm, windows, best_first: bestFirst } = replay.data, memory = hasMemory(algorithm);
    const lines = codeOf(algorithm, memory), current = currentLine(lines, replay);
    const code = h("div", { class: "state-code", role: "group", tabindex: "0", "aria-label": "Pseudocode" }, ...lines.map(({ text }, index) =>
      h("code", { ...(index === current ? { "aria-current": "step" } : {}) }, text)));
    const parts: HTMLElement[] = [code];
    // First, so that the bounds are in view where the panel is low.
    if (algorithm.startsWith("mtd")) parts.unshift(h("p", { class: "state-bounds", "data-testid": "bounds" }, boundsText(replay)));
    if (bestFirst) {
      const list = of(open, replay, () => new OpenList(replay)).follow();
      parts.push(isPredicting() ? openTable(replay, list.unsorted(), "OPEN, unsorted") : openTable(replay, list.sorted(), "OPEN, the next state first", 0));
    }
    if (!bestFirst) parts.push(pathTable(replay, windows));
    if (memory) parts.push(memoryTable(replay, of(memories, replay, () => new Memory(replay)).follow().latest()));
    const scroll = container.querySelector(".state-code")?.scrollTop ?? 0;
    container.replaceChildren(h("div", { class: "state" }, ...parts));
    code.scrollTop = scroll;
    const line = code.querySelector<HTMLElement>("[aria-current]");
    if (line && (line.offsetTop < code.scrollTop || line.offsetTop + line.offsetHeight > code.scrollTop + code.clientHeight)) code.scrollTop = line.offsetTop - code.clientHeight / 2;
  };
}

function table(testId: string, caption: string, head: string[], rows: string[][], current = -1): HTMLElement {
  const shown = rows.slice(0, MAX_ROWS), more = rows.length - shown.length;
  return h("table", { class: "state-table", "data-testid": testId },
    h("caption", {}, caption + (more > 0 ? ` (${more} more)` : "")),
    h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, ...shown.map((cells, row) => h("tr", { ...(row === current ? { "aria-current": "true" } : {}) }, ...cells.map((text) => h("td", {}, text))))));
}

/** The calls from the root to the current node. */
function pathTable(replay: Replay, windows: boolean): HTMLElement {
  const path: number[] = [];
  if (replay.now > 0) for (let at: number | null = replay.current; at !== null; at = replay.nodes[at]!.parent) path.unshift(at);
  const rows = path.map((node) => {
    const { win, tent, fin, sign } = replay.state[node]!, max = replay.isMax(node);
    const cells = [`${replay.nodes[node]!.label} (${replay.kind(node)})`];
    if (windows) {
      // The window for the remaining children: MAX raises α, MIN lowers β.
      const [a, b] = win ?? [-replay.data.infinity, replay.data.infinity];
      cells.push(replay.num(max && tent !== null ? Math.max(a, tent) : a), replay.num(!max && tent !== null ? Math.min(b, tent) : b));
    }
    cells.push(fin !== null ? sign + replay.num(fin) : tent !== null ? replay.num(tent) : "–");
    return cells;
  });
  return table("path", "Path from the root, for MAX", windows ? ["node", "α", "β", "best so far"] : ["node", "best so far"], rows, rows.length - 1);
}

function openTable(replay: Replay, states: readonly OpenState[], caption: string, current = -1): HTMLElement {
  const rows = states.map(({ node, merit, solved }) => [replay.nodes[node]!.name, solved ? "solved" : "live", replay.num(merit)]);
  return table("open", caption, ["node", "state", "h"], rows, current);
}

function memoryTable(replay: Replay, entries: readonly StoredBounds[]): HTMLElement {
  const rows = entries.map(({ node, lower, upper }) => [replay.nodes[node]!.name, replay.num(lower), replay.num(upper)]);
  return table("memory-table", "Memory, the latest first", ["node", "≥", "≤"], rows);
}
