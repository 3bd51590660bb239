/** The table of the costs of all algorithms, and the race that fills it leaf by leaf. */

import type { Walk } from "../../../../game-tree/src/drawing/viewer.js";
import { h, svg } from "../dom";
import type { Row } from "./client";

/** Duration of a race in milliseconds. */
const RACE_TIME = 12_000;
/** Trees with more leaves have no strips. */
const MAX_STRIP = 1100;

export interface CompareOptions {
  /** Searches the tree with an algorithm. */
  walk: (algorithm: string) => Promise<Walk>;
  /** Shows one algorithm, or two side by side. */
  choose: (algorithm: string, against: string) => void;
  /** The control of the tree's order, shown beside the race. */
  order: HTMLElement;
}

/** A race: for each algorithm, the places of its leaves in the tree from left to right, in the order of evaluation. */
interface Race {
  orders: Map<string, number[]>;
  leaves: number;
}

export class Comparison {
  readonly element = h("section", { class: "card learn-compare", "aria-labelledby": "compare-heading" });
  private rows: Row[] = [];
  private race: Race | undefined;
  private timer: ReturnType<typeof setInterval> | undefined;
  private tick = Infinity;
  private shown = { algorithm: "", against: "" };
  private minimum: number | undefined;
  private readonly table = h("div", { class: "learn-table" });
  private readonly text = h("p", { class: "message" });
  private readonly button = h("button", { type: "button", "data-testid": "race", onclick: () => void this.toggle() }, "Race");
  private readonly slider = h("input", { type: "range", min: 0, value: 0, "aria-label": "Leaves evaluated by each algorithm", "data-testid": "race-slider", oninput: () => this.to(Number(this.slider.value)) });
  private readonly clock = h("output", { class: "number" });

  constructor(private readonly options: CompareOptions) {
    this.slider.hidden = true;
    this.element.append(h("div", { class: "card-head" }, h("h2", { id: "compare-heading" }, "All algorithms on this input"), options.order, this.button),
      h("div", { class: "race-time" }, this.slider, this.clock), this.text, this.table);
  }

  /** Shows the costs; `minimum` is the least number of leaves that prove the value, if it is known. */
  show(rows: Row[], algorithm: string, against: string, minimum: number | undefined): void {
    this.rows = rows;
    this.shown = { algorithm, against };
    this.minimum = minimum;
    this.stop();
    this.race = undefined;
    this.tick = Infinity;
    this.slider.hidden = true;
    this.clock.textContent = "";
    this.text.textContent = minimum === undefined ? "" : `No algorithm can prove the value with fewer than ${minimum} ${minimum === 1 ? "leaf" : "leaves"} (the mark in the bars).`;
    this.render();
  }

  setStale(stale: boolean): void {
    this.table.classList.toggle("stale", stale);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.button.textContent = "Race";
  }

  private get end(): number {
    return Math.max(1, ...this.rows.map(({ leaves }) => leaves ?? 0));
  }

  /** Starts the race, or stops it. */
  private async toggle(): Promise<void> {
    if (this.timer) {
      this.stop();
      return;
    }
    const { rows } = this;
    if (!this.race) {
      this.button.disabled = true;
      try {
        this.race = await this.prepare();
      } finally {
        this.button.disabled = false;
      }
      // Another input may have been chosen since.
      if (rows !== this.rows) return;
    }
    const step = Math.max(1, Math.round(this.end / (RACE_TIME / 60)));
    if (this.tick >= this.end) this.to(0);
    this.button.textContent = "Pause";
    this.timer = setInterval(() => {
      this.to(this.tick + step);
      if (this.tick >= this.end) this.stop();
    }, Math.max(60, RACE_TIME / this.end / 1.2));
  }

  private async prepare(): Promise<Race> {
    const race: Race = { orders: new Map(), leaves: 0 };
    for (const { algorithm, error } of this.rows) {
      if (error !== undefined) continue;
      const { nodes, steps } = await this.options.walk(algorithm);
      const places = new Map<number, number>();
      const pending = [0];
      for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
        const { children } = nodes[node]!;
        if (children.length === 0) places.set(node, places.size);
        pending.push(...[...children].sort((a, b) => nodes[b]!.index - nodes[a]!.index));
      }
      race.leaves = Math.max(race.leaves, places.size);
      race.orders.set(algorithm, steps.filter(({ t }) => t === "leaf").map(({ n }) => places.get(n) ?? -1));
    }
    if (race.leaves > MAX_STRIP) race.orders.clear();
    return race;
  }

  private to(tick: number): void {
    this.tick = Math.min(tick, this.end);
    this.slider.hidden = false;
    this.slider.max = String(this.end);
    this.slider.value = String(this.tick);
    this.clock.textContent = `${this.tick} ${this.tick === 1 ? "leaf" : "leaves"} each`;
    this.render();
  }

  /** Draws which leaves of the tree have been evaluated, from left to right. */
  private strip(algorithm: string): Node | undefined {
    const order = this.race?.orders.get(algorithm), leaves = this.race?.leaves ?? 0;
    if (!order || leaves === 0) return undefined;
    const path = (places: Iterable<number>) => [...places].map((place) => `M${place + 0.5} 0V8`).join("");
    const done = order.slice(0, this.tick), seen = new Set(done);
    const now = this.tick < order.length && done.length > 0 ? path([done.at(-1)!]) : "";
    const lines = Object.entries({ all: `M0 4H${leaves}`, done: path(seen), now }).map(([name, d]) => svg("path", { class: `race-${name}`, d }));
    return svg("svg", { viewBox: `0 0 ${leaves} 8`, preserveAspectRatio: "none", class: "race-strip" }, ...lines);
  }

  private render(): void {
    const { algorithm: first, against } = this.shown, { choose } = this.options, { end } = this;
    const count = (value: number) => h("td", { class: "number" }, value.toLocaleString("en-US"));
    const body = this.rows.map(({ algorithm: name, error, leaves, nodes, cutoffs, passes }) => {
      const button = h("button", {
        type: "button", class: "learn-name", "aria-pressed": String(name === first), title: `Show ${name}`, onclick: () => choose(name, against === name ? "" : against),
      }, name);
      const beside = h("button", {
        type: "button", class: "learn-beside", "aria-pressed": String(name === against), "aria-label": `Show ${name} beside ${first}`, title: "Show beside", onclick: () => choose(first, against === name ? "" : name),
      }, "beside");
      const finished = this.tick >= leaves, shown = Math.min(this.tick, leaves);
      const bar = h("td", { class: "learn-bar", "aria-hidden": "true" }, h("span", { class: finished ? "" : "running" }), this.strip(name));
      bar.querySelector("span")!.style.width = `${100 * shown / end}%`;
      if (this.minimum !== undefined) bar.append(Object.assign(h("i", {}), { title: "least possible" }));
      bar.style.setProperty("--minimum", String((this.minimum ?? 0) / end));
      const rest = (value: number) => (finished ? count(value) : h("td", { class: "number hint" }, "…"));
      const cells = error !== undefined ? [h("td", { colspan: 5, class: "hint" }, error)] : [count(shown), bar, rest(nodes), h("td", { class: "number learn-wide" }, finished ? cutoffs.toLocaleString("en-US") : "…"), rest(passes)];
      return h("tr", { "data-algorithm": name, class: name === first ? "first" : name === against ? "second" : "" },
        h("th", { scope: "row" }, button), ...cells, h("td", {}, beside));
    });
    const head = (text: string, label = "") => h("th", { scope: "col", class: "number", title: label }, text);
    const buttons = () => [...this.table.querySelectorAll("button")];
    const focused = buttons().findIndex((button) => button === document.activeElement);
    this.table.replaceChildren(h("table", { "data-testid": "comparison" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "algorithm"), head("leaves", "leaves evaluated"), h("td", { class: "learn-bar" }), head("nodes", "nodes visited"), h("th", { scope: "col", class: "number learn-wide" }, "cutoffs"), head("passes", "searches from the root"), h("td", {}))),
      h("tbody", {}, ...body)));
    // The rows are in the same order again.
    buttons()[focused]?.focus({ preventScroll: true });
  }
}
