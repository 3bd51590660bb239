/**
 * Viewer of recorded searches of a game tree: steps through one search, or two searches side by side.
 *
 * A plain ES module without dependencies. The page of `TreePicture::html` contains it; other pages import it together
 * with `viewer.css`. Input: the JSON of `TreePicture::json`. All values are for MAX, the player to move at the root.
 */

/**
 * A step of a search: kind `t`, node `n`, sentence `s`.
 * @typedef {object} Step
 * @property {"pass"|"enter"|"leaf"|"tentative"|"cut"|"leave"|"hit"|"again"|"open"} t
 * @property {number} n
 * @property {string} s
 * @property {number} [a] alpha of `enter`
 * @property {number} [b] beta of `enter`
 * @property {number} [v] value, bound or merit
 * @property {number|null} [by] the node where the bound of a cutoff was found; null: the initial window or memory
 * @property {string} [sign] "≥" or "≤" if the value is a bound
 * @property {boolean} [solved] whether a state of the OPEN list is solved
 * @property {number} [number] of a pass
 */

/**
 * A node of the tree; `index` is its number among its siblings in generation order, which is that of a tree text.
 * @typedef {object} TreeNode
 * @property {number|null} parent
 * @property {number[]} children
 * @property {number[]} [searchOrder] the children in the order of the search, if `children` has another order
 * @property {number} index
 * @property {number} ply
 * @property {string} label
 * @property {string} name
 * @property {string} position description of the position, can be empty
 * @property {boolean} line
 */

/**
 * A recorded search.
 * @typedef {object} Walk
 * @property {string} title
 * @property {string} subtitle
 * @property {string} algorithm
 * @property {string} about
 * @property {string} source
 * @property {[string, string]} kinds
 * @property {number} value
 * @property {string[]} line
 * @property {number} leaves
 * @property {number} visited
 * @property {number} infinity
 * @property {Record<string, string>} names notation of the values that are not written as numbers
 * @property {number} depth
 * @property {boolean} best_first whether the search uses an OPEN list
 * @property {boolean} windows whether nodes have windows or bounds of ancestors
 * @property {boolean} truncated
 * @property {TreeNode[]} nodes
 * @property {Step[]} steps
 */

/**
 * The state of a node after a number of steps.
 * @typedef {object} NodeState
 * @property {number} order rank of the first visit, 0: not visited
 * @property {[number, number]|null} win
 * @property {number|null} tent
 * @property {number|null} fin
 * @property {string} sign
 * @property {boolean} leaf
 * @property {{bound: number, by: number|null}|null} cut
 * @property {number|null} open merit
 * @property {boolean} live
 */

/** @typedef {"event"|"leaf"} Unit */

/**
 * The path of a node from the root: the `index` of each node.
 * @typedef {number[]} Path
 */

/**
 * @typedef {object} Options
 * @property {boolean} [documentKeys] handles keys anywhere in the document instead of inside the viewer only
 * @property {number} [position] first position; default: the end
 * @property {boolean} [large] large text, for a projector
 * @property {Unit} [unit]
 * @property {(position: number, unit: Unit) => void} [onStep]
 * @property {(path: Path, node: TreeNode) => void} [onSelect] called when the user selects a node
 * @property {(container: HTMLElement, position: string, parent: string) => void} [drawPosition] shows the position of a
 *   node, given its description and that of its parent (both can be empty); default: the description as text
 * @property {(container: HTMLElement, replay: Replay) => void} [drawState] shows the data of the algorithm at the current
 *   step beside the tree
 */

const NS = "http:" + "//www.w3.org/2000/svg";
/** Width of the names of the players, to the left of the tree. */
const SIDE = 52;
/** Width of a character of the drawing, as a part of the font size. */
const CHARACTER = .58;
/** Distance of a text from the shape of its node, which leaves space for the mark of the current node. */
const HALO = 9;
/** Trees with more nodes are folded. */
const SMALL = 160;
/** Longer walks have no marks of leaves and cutoffs. */
const MAX_MARKED_STEPS = 20000;
/** Paths of the icons of the buttons, in a square of 24. */
const ICONS = {
  first: "M6 5v14M18 5l-7 7 7 7", back: "M15 5l-7 7 7 7", next: "M9 5l7 7-7 7", last: "M18 5v14M6 5l7 7-7 7",
  play: "M7 5l12 7-12 7z", pause: "M8 5v14M16 5v14", smaller: "M5 12h14", larger: "M5 12h14M12 5v14",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
};
const SPEEDS = [["0.5", "½×"], ["1", "1×"], ["2", "2×"], ["4", "4×"], ["10", "10×"]];

/**
 * @param {string} tag
 * @param {Record<string, string|number>} attributes
 * @param {string|number} [text]
 */
function svgElement(tag, attributes, text) {
  const element = document.createElementNS(NS, tag);
  for (const key in attributes) element.setAttribute(key, String(attributes[key]));
  if (text !== undefined) element.textContent = String(text);
  return /** @type {SVGElement} */ (element);
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string>} [attributes]
 * @param {(Node|string)[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  made.append(...children);
  return made;
}

/** @param {keyof typeof ICONS} name */
function icon(name) {
  const svg = svgElement("svg", { class: "v-icon v-" + name, viewBox: "0 0 24 24", "aria-hidden": "true" });
  svg.append(svgElement("path", { d: ICONS[name] }));
  return svg;
}

/** @param {string} id @param {[string, string][]} choices @param {string} chosen @param {string} label */
function choice(id, choices, chosen, label) {
  const select = element("select", { "data-v": id });
  for (const [value, text] of choices) select.append(element("option", { value }, text));
  select.value = chosen;
  return { select, label: element("label", { class: "v-choice" }, label + " ", select) };
}

/** A walk at one of its steps. */
export class Replay {
  /** @param {Walk} data */
  constructor(data) {
    this.data = data;
    this.nodes = data.nodes;
    this.steps = data.steps;
    /** Steps applied. */
    this.now = 0;
    this.visits = 0;
    /** Leaves evaluated. */
    this.leaves = 0;
    /** The bounds of the value of the root that finished passes have proved. @type {[number, number]} */
    this.bounds = [-data.infinity, data.infinity];
    /** @type {NodeState[]} */
    this.state = [];
    this.reset();
  }

  reset() {
    this.now = this.visits = this.leaves = 0;
    this.bounds = [-this.data.infinity, this.data.infinity];
    this.state = this.nodes.map(() => ({
      order: 0, win: null, tent: null, fin: null, sign: "", leaf: false, cut: null, open: null, live: false,
    }));
  }

  get ended() { return this.now === this.steps.length; }

  /** The node of the current step; -1 before the first one. */
  get current() { return this.now > 0 ? this.steps[this.now - 1].n : -1; }

  /** @param {number} count */
  to(count) {
    if (count < this.now) this.reset();
    for (; this.now < count; this.now++) this.apply(this.steps[this.now]);
  }

  /** @param {Step} e */
  apply(e) {
    const s = this.state[e.n], v = e.v ?? 0;
    if (e.t === "enter") {
      const { parent } = this.nodes[e.n];
      // An earlier iteration of iterative deepening may have evaluated the parent as a leaf.
      if (parent !== null) this.state[parent].leaf = false;
      if (!s.order) s.order = ++this.visits;
      Object.assign(s, { win: [e.a, e.b], tent: null, fin: null, sign: "", cut: null });
    } else if (e.t === "leaf") { this.leaves++; s.leaf = true; s.fin = v; s.sign = ""; }
    else if (e.t === "tentative") s.tent = v;
    else if (e.t === "cut") s.cut = { bound: v, by: e.by ?? null };
    else if (e.t === "leave" || e.t === "hit") {
      s.fin = v;
      s.sign = e.sign ?? "";
      if (e.n === 0 && s.sign !== "≤") this.bounds[0] = v;
      if (e.n === 0 && s.sign !== "≥") this.bounds[1] = v;
    }
    else if (e.t === "open") { s.open = v; s.live = !e.solved; if (e.solved && !s.leaf) { s.fin = v; s.sign = e.n === 0 ? "" : this.data.algorithm === "dual*" ? "≤" : "≥"; } }
  }

  /** @param {number} i */
  isMax(i) { return this.nodes[i].ply % 2 === 0; }

  /** @param {number} i */
  kind(i) { return this.data.kinds[this.nodes[i].ply % 2]; }

  /** @param {number} v */
  num(v) {
    const { infinity, names } = this.data;
    if (v >= infinity) return "+∞";
    if (v <= -infinity) return "-∞";
    return names[v] ?? String(v);
  }

  /** @param {[number, number]} w */
  window(w) { return "(" + this.num(w[0]) + ", " + this.num(w[1]) + ")"; }

  /** @param {number} i */
  valueText(i) {
    const s = this.state[i];
    // At the end of the search the bounds are equal, although the last pass proved only one of them.
    if (i === 0 && this.ended) return this.num(this.data.value);
    if (s.fin !== null) return s.sign + this.num(s.fin);
    if (s.tent !== null) return this.num(s.tent) + "?";
    return "";
  }

  /** Returns the text below a node: its window, or its merit if the search uses an OPEN list. @param {number} i */
  underText(i) {
    const s = this.state[i];
    if (s.open !== null) return "h = " + this.num(s.open);
    return s.win && !s.leaf && this.data.windows ? this.window(s.win) : "";
  }

  /** @param {number} i */
  cutText(i) {
    const s = this.state[i];
    if (!s.cut) return "";
    const v = s.fin !== null ? s.fin : s.tent;
    const by = s.cut.by === null ? "the window" : this.nodes[s.cut.by].label;
    return "✂ " + (v === null ? "" : this.num(v)) + (this.isMax(i) ? " ≥ " : " ≤ ") + this.num(s.cut.bound) + " of " + by;
  }

  /** @param {number} i @returns {"cut"|"final"|"open"|"pruned"|"unseen"} */
  stateName(i) {
    const s = this.state[i], { nodes, state } = this;
    if (s.order) return s.fin !== null ? (s.cut ? "cut" : "final") : "open";
    for (let p = nodes[i].parent; p !== null; p = nodes[p].parent) if (state[p].cut && state[p].order) return "pruned";
    return s.open !== null && s.live ? "open" : "unseen";
  }

  /** @param {number} i @returns {Path} */
  path(i) {
    const path = [];
    for (let p = i; p !== 0; p = /** @type {number} */ (this.nodes[p].parent)) path.push(this.nodes[p].index);
    return path.reverse();
  }

  /** Returns the node at a path; -1 if this search did not generate it. @param {Path} path */
  find(path) {
    let at = 0;
    for (const part of path) {
      const next = this.nodes[at].children.find(c => this.nodes[c].index === part);
      if (next === undefined) return -1;
      at = next;
    }
    return at;
  }

  /** Returns the sentence of the current step. @param {boolean} touch */
  sentence(touch) {
    if (this.now === 0) return touch ? "Tap › to start." : "Press → or the space bar to start.";
    const { line, value } = this.data;
    const variation = (line.length > 60 ? line.slice(0, 60).concat("…") : line).join(" ") || "–";
    const end = this.ended ? "  End of the search: value " + this.num(value) + ", principal variation " + variation + "." : "";
    return this.steps[this.now - 1].s + end;
  }

  /**
   * Returns where a bound comes from: the nearest ancestor with this tentative value, or the initial window.
   * @param {number} i @param {boolean} alpha
   */
  origin(i, alpha) {
    const win = this.state[i].win;
    if (!win) return "";
    const bound = alpha ? win[0] : win[1];
    for (let p = this.nodes[i].parent; p !== null; p = this.nodes[p].parent) {
      if (this.isMax(p) === alpha && this.state[p].tent === bound) return this.nodes[p].name;
    }
    return "";
  }

  /** Explains the current step: the meaning of the window, of the value or of the cutoff. */
  why() {
    if (this.now === 0) return "";
    const e = this.steps[this.now - 1], s = this.state[e.n], name = this.nodes[e.n].name;
    switch (e.t) {
      case "enter": return this.data.windows && s.win ? this.whyWindow(e.n, s.win) : "";
      case "leaf": return this.whyLeaf(e.n);
      case "tentative": return this.whyTentative(e.n);
      case "cut": return this.whyCut(e.n);
      case "leave": return this.whyFinal(e.n);
      case "hit": return "An earlier visit stored this value, so the subtree of " + name + " is not searched again.";
      case "again": return this.whyAgain(e.n);
      case "open": return this.whyState(e.n, e.solved === true);
      case "pass": return this.whyPass(e.number ?? 1);
    }
  }

  /** The window with which the next step enters the root. @returns {[number, number]} */
  nextWindow() {
    const next = this.steps[this.now];
    return next?.t === "enter" ? [next.a ?? 0, next.b ?? 0] : this.bounds;
  }

  /** @param {number} pass */
  whyPass(pass) {
    const { algorithm } = this.data, [low, high] = this.bounds, next = this.nextWindow(), gamma = this.num(next[1]);
    if (algorithm.startsWith("mtd")) {
      const question = "The null window " + this.window(next) + " tests whether the value is at least γ = " + gamma + ".";
      if (pass === 1) return question + (algorithm === "mtd(f)" ? " γ is the guess f, the expected value." : "");
      const from = next[1] === low + 1 ? "one more than f⁻, because the value is known to be at least f⁻" : "the bound that the last pass returned";
      return "f⁻ = " + this.num(low) + " is less than f⁺ = " + this.num(high) + ", so the value is not known yet. " + question + " γ is " + from + ".";
    }
    if (algorithm === "iterative deepening") {
      return "Iteration " + pass + " takes the nodes at depth " + pass + " as leaves" + (pass > 1 ? " and searches the best moves of the last iteration first." : ".");
    }
    if (!algorithm.startsWith("aspiration")) return "";
    return pass === 1 ? "The window " + this.window(next) + " surrounds the expected value."
      : "The value is not inside the window of the last pass, " + this.window(this.state[0].win ?? next) + ", so that pass proved only a bound.";
  }

  /** Explains why the subtree of a node is searched again. @param {number} i */
  whyAgain(i) {
    const s = this.state[i], p = this.nodes[i].parent, name = this.nodes[i].name;
    // Only aspiration searches the root again.
    if (p === null) return "The new window starts at the bound just found and is open on the other side, so the value is inside it.";
    const better = this.isMax(p) ? "greater" : "less", than = this.num(this.state[p].tent ?? 0);
    const showed = "The test showed that " + name + " is " + better + " than " + than + ", the best value of " + this.nodes[p].name + " so far";
    if (s.leaf) return showed + ". It was a yes-or-no question: the value itself is asked for now.";
    return showed + (s.fin === null ? "." : ", at " + (s.sign === "≤" ? "most " : "least ") + this.num(s.fin) + ".") + " That is only a bound: a wider window finds the value.";
  }

  /** @param {number} i @param {[number, number]} win */
  whyWindow(i, win) {
    const [max, min] = this.data.kinds, [a, b] = win, { infinity } = this.data;
    if (a <= -infinity && b >= infinity) return "The window is open on both sides: any value matters, and nothing can be cut off yet.";
    if (b - a === 1) return "A null window: it only tests whether the value is at least " + this.num(b) + " or at most " + this.num(a) + ".";
    const alpha = this.origin(i, true), beta = this.origin(i, false), parts = [];
    const source = (/** @type {string} */ who, /** @type {number} */ bound, /** @type {string} */ at) =>
      at ? who + " already has " + this.num(bound) + " at " + at : "The window given to the search ends at " + this.num(bound);
    if (a > -infinity) parts.push(source(max, a, alpha) + ", so values up to " + this.num(a) + " do not matter (α).");
    if (b < infinity) parts.push(source(min, b, beta) + ", so values from " + this.num(b) + " on do not matter (β).");
    return parts.join(" ");
  }

  /** @param {number} i */
  whyLeaf(i) {
    const p = this.nodes[i].parent, v = this.state[i].fin;
    if (p === null || v === null) return "";
    const { win, open } = this.state[i];
    if (this.data.best_first) {
      const dual = this.data.algorithm === "dual*", merit = open ?? v;
      return "It returns to OPEN as solved. Its merit is the " + (dual ? "larger" : "smaller") + " of h = " + this.num(merit) + " and its value: " + this.num(dual ? Math.max(merit, v) : Math.min(merit, v)) + ".";
    }
    if (this.isTest(i) && win) return "The test with the window " + this.window(win) + " has its answer: at " + (v >= win[1] ? "least " + this.num(win[1]) : "most " + this.num(win[0])) + ".";
    const tent = this.state[p].tent, max = this.isMax(p), who = this.nodes[p].name + " (" + this.kind(p) + ")";
    if (tent === null) return "It is the first value of " + who + ", which takes the " + (max ? "largest" : "smallest") + " value of its children.";
    const next = this.steps[this.now];
    if (next?.t === "again" && next.n === i) return "The test succeeds: " + this.num(v) + " is " + (max ? "greater" : "less") + " than " + this.num(tent) + ", the value of " + who + " so far.";
    if (max ? v > tent : v < tent) return who + " takes the " + (max ? "larger" : "smaller") + " of " + this.num(v) + " and its tentative value " + this.num(tent) + ": it improves.";
    return who + " already has " + this.num(tent) + " and keeps it.";
  }

  /** Returns whether the visit of a node is a test of Scout, which returns yes or no. @param {number} i */
  isTest(i) {
    const { win } = this.state[i];
    return this.data.algorithm === "scout" && win !== null && win[1] - win[0] === 1;
  }

  /** @param {number} i */
  whyTentative(i) {
    const s = this.state[i], v = s.tent ?? 0, max = this.isMax(i);
    if (!s.win || !this.data.windows) return "";
    if (max ? v <= s.win[0] : v >= s.win[1]) {
      return "The value does not improve on the window " + this.window(s.win) + ", so the bounds do not change.";
    }
    if (max ? v >= s.win[1] : v <= s.win[0]) return "The value reaches the other end of the window " + this.window(s.win) + ".";
    return "The value here is " + this.num(v) + " or " + (max ? "greater: " : "less: ") + (max ? "α rises" : "β falls") + " to " + this.num(v) + " for the remaining children.";
  }

  /** @param {number} i */
  whyCut(i) {
    const s = this.state[i], cut = s.cut;
    if (!cut) return "";
    const max = this.isMax(i), [maxName, minName] = this.data.kinds;
    const us = max ? maxName : minName, them = max ? minName : maxName, v = this.num(s.tent ?? cut.bound), bound = this.num(cut.bound);
    const reach = us + " can reach " + v + " here";
    if (cut.by === null) {
      let k = this.now - 1;
      while (k > 0 && !(this.steps[k].t === "enter" && this.steps[k].n === i)) k--;
      if (this.steps[k - 1]?.t === "again" && i !== 0 && s.tent === cut.bound) {
        return reach + ", and the test has shown that the value is at " + (max ? "most " : "least ") + bound + ": it is exactly " + bound + ".";
      }
      return reach + ". The window ends at " + bound + ", so the test is decided whatever the remaining children are worth.";
    }
    const back = this.nodes[i].ply - this.nodes[cut.by].ply, by = this.nodes[cut.by].name;
    const kind = back === 1 ? "" : " The bound was found " + back + " plies above: a deep cutoff.";
    return reach + ", but " + them + " already has " + bound + " at " + by + " and will avoid " + this.nodes[i].name
      + ". The remaining children can only make it " + (max ? "larger" : "smaller") + "." + kind;
  }

  /** @param {number} i */
  whyFinal(i) {
    const s = this.state[i];
    if (!s.win || s.leaf || !this.data.windows) return "";
    const window = this.window(s.win), max = this.isMax(i);
    if (!s.sign) return "The value is inside the window " + window + ", so it is exact.";
    if (!s.cut && s.win[1] - s.win[0] === 1) {
      return "The test with the null window " + window + (s.sign === "≤" ? " failed low: the value is an upper bound." : " failed high: the value is a lower bound.");
    }
    if (s.cut) return s.sign === "≥" ? "A lower bound only, because of the cutoff." : "An upper bound only, because of the cutoff.";
    if (s.sign === "≤") return "The value is not above α of the window " + window + (max ? ": no child is better than what " : ": a child is worth no more than what ") + this.data.kinds[0] + " has, and the true value can be lower.";
    return "The value is not below β of the window " + window + (max ? ": a child is worth no less than what " : ": no child is better than what ") + this.data.kinds[1] + " has, and the true value can be higher.";
  }

  /** @param {number} i @param {boolean} solved */
  whyState(i, solved) {
    const dual = this.data.algorithm === "dual*", [max, min] = dual ? [this.data.kinds[1], this.data.kinds[0]] : this.data.kinds;
    const best = dual ? "lowest" : "highest", p = this.nodes[i].parent, own = this.isMax(i) !== dual;
    if (!solved) {
      if (!this.nodes[i].children.length) return "OPEN is sorted by merit h, the " + best + " first. This node is searched next.";
      return own
        ? "A live " + max + " node: all of its children are added to OPEN, because " + max + " can choose any of them."
        : "A live " + min + " node: only its first child is added to OPEN; the others follow one at a time.";
    }
    if (p === null) return "The root is solved: its merit is the minimax value.";
    if (!own) {
      return "No state on OPEN has a " + (dual ? "lower" : "higher") + " merit, so " + this.nodes[p].name + " (" + max + ") cannot do better: it is solved, and its other descendants are removed from OPEN.";
    }
    return "A solved child of " + this.nodes[p].name + " (" + min + "): the next sibling is added to OPEN with this merit; without one, " + this.nodes[p].name + " is solved.";
  }
}

/** The drawing of one walk. */
class Panel {
  /** @param {Viewer} viewer @param {Walk} data @param {boolean} generationOrder */
  constructor(viewer, data, generationOrder) {
    this.viewer = viewer;
    if (generationOrder) {
      // Side by side, both drawings have the same order.
      const nodes = data.nodes.map(node => ({ ...node, searchOrder: node.children, children: [...node.children].sort((x, y) => data.nodes[x].index - data.nodes[y].index) }));
      data = { ...data, nodes };
    }
    this.replay = new Replay(data);
    this.data = data;
    this.small = data.nodes.length <= SMALL;
    this.selected = 0;
    /** Zoom by the user; the layout at 1 fits the window. */
    this.zoom = 1;
    this.opened = new Set();
    this.closed = new Set();
    this.allShown = new Set();
    this.title = element("h2", { class: "v-title", "data-v": "title" });
    this.subtitle = element("p", { class: "v-subtitle" });
    this.step = element("span", { class: "v-step", "data-v": "step" });
    this.sentence = element("p", { class: "v-sentence", "data-v": "sentence" });
    this.why = element("p", { class: "v-why", "data-v": "why" });
    this.live = element("div", { class: "v-live", "aria-live": "polite", "aria-atomic": "true" }, this.sentence, this.why);
    this.marks = svgElement("svg", { class: "v-marks", preserveAspectRatio: "none", "aria-hidden": "true" });
    this.cursor = svgElement("line", { class: "v-cursor", x1: 0, x2: 0, y1: 0, y2: 10 });
    this.tree = element("div", { class: "v-tree", tabindex: "0", role: "group", "data-v": "tree", "aria-label": "Tree of " + data.algorithm });
    this.notice = element("p", { class: "v-notice" }, data.truncated ? "The drawing is incomplete: the node limit was reached." : "");
    /** The data of the algorithm at the current step. */
    this.stateBox = element("div", { class: "v-state" });
    this.dataBox = element("div", { class: "v-data", role: "group", tabindex: "0", "aria-label": "Data of the algorithm" }, this.stateBox);
    /** The drawing, over which the details of a node are placed. */
    this.box = element("div", { class: "v-box" }, this.tree);
    this.element = element("section", { class: "v-panel", "aria-label": data.algorithm },
      element("div", { class: "v-head" }, this.title, this.subtitle, element("div", { class: "v-progress" }, this.marks, this.step), this.notice),
      this.live, this.box, this.dataBox);
    /** Steps after which a leaf has been evaluated, with the start and the end. */
    this.leafStops = [0];
    data.steps.forEach((step, k) => { if (step.t === "leaf") this.leafStops.push(k + 1); });
    if (this.leafStops[this.leafStops.length - 1] !== data.steps.length) this.leafStops.push(data.steps.length);
    /** Lengths of the longest value and name of a leaf. */
    this.valueLength = data.steps.reduce((most, step) => step.t === "leaf" ? Math.max(most, this.replay.num(step.v ?? 0).length) : most, 2);
    this.nameLength = data.nodes.reduce((most, node) => node.children.length ? most : Math.max(most, Math.min(8, node.label.length)), 1);
    this.drawMarks();
    this.listen();
  }

  /** Number of columns of the whole tree; a folded one needs fewer. */
  leaves() { return Math.min(60, this.small ? this.data.nodes.filter(node => !node.children.length).length : 10); }

  /** Number of positions. @param {Unit} unit */
  count(unit) { return unit === "leaf" ? this.leafStops.length - 1 : this.data.steps.length; }

  /** @param {Unit} unit @param {number} position */
  stepAt(unit, position) { return unit === "leaf" ? this.leafStops[Math.min(position, this.leafStops.length - 1)] : Math.min(position, this.data.steps.length); }

  /** @param {Unit} unit @param {number} step */
  positionOf(unit, step) {
    if (unit === "event") return step;
    const found = this.leafStops.findIndex(stop => stop >= step);
    return found < 0 ? this.leafStops.length - 1 : found;
  }

  /** @param {number} step */
  show(step) {
    this.replay.to(step);
    this.selected = Math.max(0, this.replay.current);
    this.step.textContent = step + " / " + this.data.steps.length;
    this.sentence.textContent = this.replay.sentence(this.viewer.touch);
    this.why.textContent = this.replay.why();
    // Until the end, the result is not shown.
    const { ended, leaves, visits } = this.replay, { algorithm, depth } = this.data;
    this.title.textContent = ended ? this.data.title : algorithm + ", depth " + depth;
    this.subtitle.textContent = ended ? this.data.subtitle : leaves + (leaves === 1 ? " leaf" : " leaves") + " evaluated, " + visits + (visits === 1 ? " node" : " nodes") + " visited so far";
    this.viewer.options.drawState?.(this.stateBox, this.replay);
    this.cursor.setAttribute("x1", String(step));
    this.cursor.setAttribute("x2", String(step));
    this.draw(true);
  }

  drawMarks() {
    const { steps } = this.data, length = Math.max(1, steps.length), svg = this.marks;
    svg.setAttribute("viewBox", `0 0 ${length} 10`);
    svg.append(svgElement("rect", { class: "v-strip", x: 0, y: 0, width: length, height: 10 }));
    if (steps.length <= MAX_MARKED_STEPS) {
      const path = (/** @type {(step: Step) => boolean} */ wanted, /** @type {string} */ line) =>
        steps.map((step, k) => (wanted(step) ? `M${k + 1} ${line}` : "")).join("");
      svg.append(svgElement("path", { class: "v-mark-leaf", d: path(step => step.t === "leaf", "5V10") }));
      svg.append(svgElement("path", { class: "v-mark-cut", d: path(step => step.t === "cut", "0V10") }));
      svg.append(svgElement("path", { class: "v-mark-pass", d: path(step => step.t === "pass" && (step.number ?? 1) > 1, "0V10") }));
    }
    svg.append(this.cursor);
    const seek = (/** @type {PointerEvent} */ event) => {
      const box = svg.getBoundingClientRect();
      const step = Math.round((event.clientX - box.left) / box.width * steps.length);
      this.viewer.play(false);
      this.viewer.active = this;
      this.viewer.go(this.positionOf(this.viewer.unit, Math.max(0, Math.min(steps.length, step))));
    };
    svg.addEventListener("pointerdown", event => { svg.setPointerCapture(event.pointerId); seek(event); });
    svg.addEventListener("pointermove", event => { if (event.buttons) seek(event); });
  }

  /** Scrolling by dragging with a mouse, zooming by Ctrl and wheel or by two fingers. */
  listen() {
    const tree = this.tree;
    /** @type {{x: number, y: number, left: number, top: number, id: number}|null} */
    let drag = null;
    tree.addEventListener("pointerdown", event => {
      this.viewer.active = this;
      if (event.pointerType === "mouse" && event.button === 0 && !/** @type {Element} */ (event.target).closest(".node,.stub")) {
        drag = { x: event.clientX, y: event.clientY, left: tree.scrollLeft, top: tree.scrollTop, id: event.pointerId };
        tree.setPointerCapture(event.pointerId);
        tree.classList.add("v-dragging");
      }
    });
    tree.addEventListener("pointermove", event => {
      if (!drag || event.pointerId !== drag.id) return;
      tree.scrollLeft = drag.left - (event.clientX - drag.x);
      tree.scrollTop = drag.top - (event.clientY - drag.y);
    });
    const end = () => { drag = null; tree.classList.remove("v-dragging"); };
    tree.addEventListener("pointerup", end);
    tree.addEventListener("pointercancel", end);
    tree.addEventListener("wheel", event => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.scale(Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
    }, { passive: false });
    let distance = 0;
    const spread = (/** @type {TouchEvent} */ event) => {
      const [p, q] = [event.touches[0], event.touches[1]];
      return { length: Math.hypot(p.clientX - q.clientX, p.clientY - q.clientY), x: (p.clientX + q.clientX) / 2, y: (p.clientY + q.clientY) / 2 };
    };
    tree.addEventListener("touchstart", event => { if (event.touches.length === 2) distance = spread(event).length; }, { passive: true });
    tree.addEventListener("touchmove", event => {
      if (event.touches.length !== 2) return;
      event.preventDefault();
      const at = spread(event);
      if (distance) this.scale(at.length / distance, at.x, at.y);
      distance = at.length;
    }, { passive: false });
  }

  /** Changes the zoom; the point of the screen keeps its place. @param {number} factor @param {number} [x] @param {number} [y] */
  scale(factor, x, y) {
    const before = this.zoom, box = this.tree.getBoundingClientRect();
    const dx = (x ?? box.left + box.width / 2) - box.left, dy = (y ?? box.top + box.height / 2) - box.top;
    const left = this.tree.scrollLeft, top = this.tree.scrollTop;
    this.zoom = Math.max(.25, Math.min(3, this.zoom * factor));
    this.draw(false);
    this.tree.scrollLeft = (left + dx) * this.zoom / before - dx;
    this.tree.scrollTop = (top + dy) * this.zoom / before - dy;
  }

  fit() {
    this.zoom = 1;
    this.draw(true);
  }

  /** @typedef {{i: number, parent: number, children: number[], stub: number, below: number, span: number, left: number, stubx: number, x: number, y: number, r: number, gap: number}} Item */

  /** Returns the visible nodes: all of a small tree; of a large one the current path and unfolded nodes. */
  shown() {
    const { nodes, state, current, ended } = this.replay;
    const path = new Set();
    for (const from of [Math.max(0, current), Math.max(0, this.selected)]) for (let p = /** @type {number|null} */ (from); p !== null; p = nodes[p].parent) path.add(p);
    /** @type {Item[]} */
    const list = [];
    /** @type {[number, number][]} */
    const todo = [[0, -1]];
    for (let top = todo.pop(); top; top = todo.pop()) {
      const [i, parent] = top, index = list.length;
      list.push({ i, parent, children: [], stub: 0, below: 0, span: 0, left: 0, stubx: 0, x: 0, y: 0, r: 0, gap: 0 });
      if (parent >= 0) list[parent].children.push(index);
      const children = nodes[i].children;
      if (!children.length) continue;
      const open = !this.closed.has(i) && (this.small || this.opened.has(i) || path.has(i) || (ended && nodes[i].line));
      let visible = open ? children : [];
      if (open && !this.small && !this.allShown.has(i)) {
        const recent = new Set(children.filter(k => state[k].order).sort((x, y) => state[x].order - state[y].order).slice(-7));
        visible = children.filter(k => path.has(k) || (ended && nodes[k].line) || recent.has(k));
      }
      list[index].stub = children.length - visible.length;
      for (let k = visible.length - 1; k >= 0; k--) todo.push([visible[k], index]);
    }
    return list;
  }

  /**
   * Sets the positions so that the tree fills its box where the texts stay readable; otherwise it is larger and scrolls.
   * Only the form of the tree matters, not its texts, so that it does not move from step to step.
   * @param {Item[]} list
   */
  place(list) {
    const { nodes } = this.replay, k = this.viewer.scale, box = this.tree;
    let columns = 0, deepest = 1;
    for (const it of list) {
      columns += it.children.length ? Number(it.stub > 0) : 1;
      deepest = Math.max(deepest, nodes[it.i].ply + Number(it.stub > 0));
    }
    const room = box.clientWidth - SIDE * k - 10, margin = 56 * k, top = 32 * k;
    const pitch = Math.max(this.leastPitch(), Math.min(120 * k, room / columns));
    const level = Math.max(62 * k, Math.min(220 * k, (box.clientHeight - top - margin - 4) / deepest));
    const largest = Math.max(20 * k, Math.min(28 * k, level / 5, pitch / 3));
    for (let n = list.length - 1; n >= 0; n--) {
      const it = list[n];
      it.below = it.children.reduce((sum, kid) => sum + list[kid].span, it.stub && it.children.length ? pitch : 0);
      it.span = Math.max(pitch, it.below);
      it.r = Math.max(10.5 * k, Math.min(largest, it.span / 2 - 1.5 * k));
      it.y = top + level * nodes[it.i].ply;
      // Between this node and its children.
      it.gap = level - 2 * it.r;
    }
    list[0].left = SIDE * k + Math.max(0, (room - list[0].span) / 2);
    for (const it of list) {
      let at = it.left + (it.span - it.below) / 2;
      for (const kid of it.children) { list[kid].left = at; at += list[kid].span; }
      it.stubx = at + pitch / 2;
    }
    for (let n = list.length - 1; n >= 0; n--) {
      const it = list[n], last = it.children[it.children.length - 1];
      it.x = last === undefined ? it.left + it.span / 2 : (list[it.children[0]].x + (it.stub ? it.stubx : list[last].x)) / 2;
    }
    return { level, deepest, width: Math.max(box.clientWidth, list[0].left + list[0].span + 10) - 1, height: Math.max(box.clientHeight, top + level * deepest + margin) - 4 };
  }

  /** The least distance of two leaves at which their values and names are readable. */
  leastPitch() {
    const least = this.viewer.touch || this.viewer.panelBox.clientWidth < 700 ? 34 : 23;
    return this.viewer.scale * Math.max(least, this.valueLength * 12 * CHARACTER + 8, this.nameLength * 12 * CHARACTER + 4);
  }

  /** Draws the tree. @param {boolean} follow whether to scroll to the current node */
  draw(follow) {
    const { replay, zoom, tree } = this, { nodes, state, ended, current } = replay, k = this.viewer.scale;
    const list = this.shown();
    const { level, deepest, width, height } = this.place(list);
    const label = this.data.algorithm + ", step " + replay.now + " of " + replay.steps.length + ": " + this.sentence.textContent;
    const svg = svgElement("svg", { class: "v-picture", viewBox: `0 0 ${width} ${height}`, width: width * zoom, height: height * zoom, role: "img", "aria-label": label });
    for (let ply = 0; ply <= deepest; ply++) {
      const y = list[0].y + level * ply;
      if (ply % 2) svg.append(svgElement("rect", { class: "band", x: 0, y: y - level / 2 + 6, width, height: level }));
      svg.append(svgElement("text", { class: "rank", x: 10, y: y + 5, "font-size": 14 * k }, this.data.kinds[ply % 2]));
    }
    for (const it of list) for (const kid of it.children) {
      const child = list[kid], seen = state[child.i].order || replay.stateName(child.i) === "open";
      const y1 = it.y + it.r, y2 = child.y - child.r;
      const pv = ended && nodes[child.i].line;
      svg.append(svgElement("line", { class: "edge" + (pv ? " pv" : seen ? "" : " off"), x1: it.x, y1, x2: child.x, y2 }));
      if (!seen && state[it.i].cut) {
        const cx = it.x + (child.x - it.x) * .62, cy = y1 + (y2 - y1) * .62;
        svg.append(svgElement("line", { class: "cutmark", x1: cx - 8, y1: cy + 4, x2: cx + 8, y2: cy - 4 }));
      }
    }
    // The current path is drawn last: its texts may cover its neighbors.
    const path = new Set();
    for (let p = /** @type {number|null} */ (Math.max(0, current)); p !== null; p = nodes[p].parent) path.add(p);
    for (const it of [...list].sort((p, q) => Number(path.has(p.i)) - Number(path.has(q.i)))) {
      if (it.stub) this.drawStub(svg, it, level);
      svg.append(this.drawNode(it, current, ended, path.has(it.i) || it.i === this.selected));
    }
    const left = tree.scrollLeft, top = tree.scrollTop;
    tree.replaceChildren(svg);
    tree.scrollLeft = left;
    tree.scrollTop = top;
    const target = list.find(it => it.i === this.selected);
    if (target && follow) this.reveal(target.x * zoom, target.y * zoom);
    this.viewer.placeCard(this, target);
  }

  /** @param {SVGElement} svg @param {Item} it @param {number} level */
  drawStub(svg, it, level) {
    const k = this.viewer.scale, sy = it.y + (it.children.length ? level : it.r + 50 * k), sx = it.children.length ? it.stubx : it.x;
    if (it.children.length) svg.append(svgElement("line", { class: "edge off", x1: it.x, y1: it.y + it.r, x2: sx, y2: sy - 15 }));
    const stub = svgElement("text", { class: "stub", x: sx, y: sy, "font-size": 13 * k, "text-anchor": "middle", "data-stub": it.i }, "+" + it.stub);
    stub.addEventListener("click", () => this.unfold(it.i));
    svg.append(stub);
  }

  /** @param {Item} it @param {number} current @param {boolean} ended @param {boolean} important whether all texts are shown */
  drawNode(it, current, ended, important) {
    const { i, x, y, r } = it, { nodes, state } = this.replay, s = state[i], max = this.replay.isMax(i), k = this.viewer.scale;
    const classes = ["node", max ? "max" : "min"];
    if (ended && nodes[i].line) classes.push("pv");
    if (i === current) classes.push("now");
    if (i === this.selected) classes.push("selected");
    const value = this.replay.valueText(i), stateName = this.replay.stateName(i);
    const g = svgElement("g", { class: classes.join(" "), "data-node": i, "data-name": nodes[i].name, "data-state": stateName, "data-value": value });
    const size = Math.max(12 * k, Math.min(20 * k, r * .8)), half = Math.max(r, value.length * size * CHARACTER / 2 + 3);
    const box = (/** @type {string} */ cls, /** @type {number} */ more) =>
      svgElement("rect", { class: cls, x: x - half - more, y: y - r - more, width: 2 * (half + more), height: 2 * (r + more), rx: max ? 4 + more / 2 : r + more });
    g.append(box("halo", 5), box("shape", 0));
    g.append(svgElement("text", { class: "value" + (s.fin === null ? " tentative" : ""), x, y: y + size * .35, "font-size": size, "text-anchor": "middle" }, value));
    // The texts beside the node go below a leaf where the space is narrow.
    const { label, children } = nodes[i], leaf = !children.length, beside = (/** @type {string} */ text) => half + HALO + text.length * 13 * k * CHARACTER <= it.span / 2;
    const order = s.order ? String(s.order) : "";
    let below = y + r + HALO + 9 * k;
    const line = (/** @type {string} */ cls, /** @type {string} */ text, /** @type {number} */ fontSize) => {
      textOnPaper(g, cls, x, below, text, fontSize);
      below += fontSize * 1.25;
    };
    if (beside(label)) g.append(svgElement("text", { class: "label", x: x - half - HALO, y: y - 3, "font-size": 13 * k, "text-anchor": "end" }, label));
    else if (leaf) line("label", label, 12 * k);
    else textOnPaper(g, "label", x, y - r - HALO, label, 13 * k);
    if (order && beside(order)) g.append(svgElement("text", { class: "order", x: x + half + HALO, y: y - r + 8, "font-size": 12 * k }, order));
    else if (order && leaf) line("order", order, 12 * k);
    else if (order && important) textOnPaper(g, "order", x + half + HALO + order.length * 4 * k, y - r + 8, order, 12 * k);
    const fits = (/** @type {string} */ text) => important || text.length * 12 * k * CHARACTER <= it.span - 6;
    const window = this.replay.underText(i), cut = this.replay.cutText(i);
    // Below a leaf, there is space for two lines.
    if (window && fits(window) && !(leaf && below > y + r + HALO + 14 * k)) line("small", window, 12 * k);
    if (cut) line("cuttext", important || (fits(cut) && it.gap > 46 * k) ? cut : "✂", 12 * k);
    const { viewer } = this;
    g.addEventListener("click", () => {
      if (viewer.touch && this.selected === i && viewer.tapped) { this.fold(i); return; }
      viewer.tapped = true;
      viewer.select(this, i);
    });
    if (!viewer.touch) g.addEventListener("dblclick", () => this.fold(i));
    return g;
  }

  /** Hides the children of a node, or shows them again. @param {number} i */
  fold(i) {
    if (this.closed.has(i)) this.closed.delete(i);
    else this.closed.add(i);
    this.draw(false);
  }

  /** Shows all children of a node. @param {number} i */
  unfold(i) {
    this.closed.delete(i);
    this.opened.add(i);
    this.allShown.add(i);
    this.draw(false);
  }

  /** Shows all children of the selected node if some are hidden; otherwise hides them. */
  toggleFold() {
    const i = Math.max(0, this.selected), item = this.shown().find(it => it.i === i);
    if (!item) return;
    if (item.stub) this.unfold(i);
    else this.fold(i);
  }

  /** Scrolls so that a point is visible. @param {number} x @param {number} y */
  reveal(x, y) {
    const tree = this.tree, m = 90;
    if (x < tree.scrollLeft + m) tree.scrollLeft = x - tree.clientWidth / 3;
    else if (x > tree.scrollLeft + tree.clientWidth - m) tree.scrollLeft = x - tree.clientWidth * 2 / 3;
    if (y < tree.scrollTop + 40) tree.scrollTop = y - 60;
    else if (y > tree.scrollTop + tree.clientHeight - m) tree.scrollTop = y - tree.clientHeight / 2;
  }

  /** Returns the rows of the details of the selected node. @returns {[string, string][]} */
  facts() {
    const i = this.selected, { replay } = this, s = replay.state[i];
    if (i < 0) return [["state", "not generated by this search"]];
    const names = { unseen: "not visited yet", pruned: "cut off, not visited", open: "in progress", final: "final", cut: "final, with cutoff" };
    /** @type {[string, string][]} */
    const rows = [["state", names[replay.stateName(i)]]];
    if (s.order) rows.push(["visiting order", String(s.order)]);
    if (s.win && this.data.windows) rows.push(["window", replay.window(s.win)]);
    if (s.tent !== null) rows.push(["tentative", replay.num(s.tent)]);
    if (i === 0 && replay.ended) rows.push(["value", "= " + replay.num(this.data.value)]);
    else if (s.fin !== null) rows.push(["value", (s.sign || "=") + " " + replay.num(s.fin)]);
    if (s.open !== null) rows.push(["merit", replay.num(s.open) + (s.live ? ", live" : ", solved")]);
    if (s.cut) rows.push(["cutoff", replay.cutText(i).slice(2)], ["", replay.whyCut(i)]);
    if (replay.ended && replay.nodes[i].line) rows.push(["", "on the principal variation"]);
    return rows;
  }
}

/** @param {SVGElement} g @param {string} cls @param {number} x @param {number} y @param {string} text @param {number} size */
function textOnPaper(g, cls, x, y, text, size) {
  const w = text.length * size * CHARACTER + 4;
  g.append(svgElement("rect", { class: "paper", x: x - w / 2, y: y - size * .95, width: w, height: size * 1.2, rx: 3 }));
  g.append(svgElement("text", { class: cls, x, y, "font-size": size, "text-anchor": "middle" }, text));
}

/** The viewer of one walk or two; create it with `createViewer`. */
export class Viewer {
  /** @param {HTMLElement} container @param {Walk[]} walks @param {Options} options */
  constructor(container, walks, options) {
    this.options = options;
    this.touch = matchMedia("(pointer: coarse)").matches;
    this.tapped = false;
    this.timer = 0;
    this.position = 0;
    /** @type {Unit} */
    this.unit = options.unit ?? "event";
    /** @type {Panel[]} */
    this.panels = [];
    /** The panel whose node the details show. @type {Panel|undefined} */
    this.active = undefined;
    this.large = options.large === true;
    /** Place for controls of the page, such as an editor of the selected node. */
    this.tools = element("div", { class: "v-tools" });
    const button = (/** @type {string} */ id, /** @type {string} */ title, /** @type {Node|string} */ content) => {
      const made = element("button", { type: "button", "data-v": id, title }, content);
      if (content instanceof Node) made.setAttribute("aria-label", title.replace(/ \(.*/, ""));
      made.addEventListener("click", () => this.act(id));
      return made;
    };
    this.slider = element("input", { type: "range", min: "0", value: "0", "data-v": "slider", "aria-label": "Step" });
    this.slider.addEventListener("input", () => { this.play(false); this.go(Number(this.slider.value)); });
    this.count = element("span", { class: "v-step", "data-v": "position" });
    const unit = choice("unit", [["event", "event"], ["leaf", "leaf"]], this.unit, "Step by");
    unit.select.addEventListener("change", () => this.setUnit(/** @type {Unit} */ (unit.select.value)));
    const speed = choice("speed", /** @type {[string, string][]} */ (SPEEDS), "1", "Speed");
    speed.select.addEventListener("change", () => { if (this.timer) this.play(true); });
    this.unitSelect = unit.select;
    this.speedSelect = speed.select;
    this.playButton = button("play", "Play (space)", icon("play"));
    const bar = element("div", { class: "v-bar", role: "toolbar", "aria-label": "Steps" },
      element("span", { class: "v-group" }, button("walk", "Start at the first step and play", "Walk through"),
        button("first", "To the start (Home)", icon("first")), button("back", "One step back (←)", icon("back")), this.playButton,
        button("next", "One step forward (→)", icon("next")), button("last", "To the end (End)", icon("last"))),
      element("span", { class: "v-group v-seek" }, this.slider, this.count),
      element("span", { class: "v-group" }, unit.label, speed.label),
      element("span", { class: "v-group" }, button("smaller", "Zoom out (-)", icon("smaller")), button("larger", "Zoom in (+)", icon("larger")), button("fit", "Fit the window (f)", icon("fit"))));
    this.panelBox = element("div", { class: "v-panels" });
    this.name = element("h2", { class: "v-name", "data-v": "name" });
    this.picture = element("div", { class: "v-position", "data-v": "node-position" });
    this.facts = element("div", { class: "v-facts" });
    this.help = element("div");
    const close = element("button", { type: "button", class: "v-close", "aria-label": "Close", "data-v": "close" }, "×");
    close.addEventListener("click", () => this.closeCard());
    /** The details of the selected node, beside it. */
    this.card = element("div", { class: "v-card", role: "group", "aria-label": "Node" }, close, this.name, this.facts, this.tools);
    this.element = element("div", { class: "viewer" }, bar, this.panelBox, element("details", { class: "v-help" }, element("summary", {}, "Keys and legend"), this.help));
    this.element.classList.toggle("v-large", this.large);
    container.append(this.element);
    /** @type {(event: KeyboardEvent) => void} */
    this.onKey = event => this.key(event);
    this.keyTarget = /** @type {HTMLElement} */ (this.options.documentKeys ? document.documentElement : this.element);
    this.keyTarget.addEventListener("keydown", this.onKey);
    this.resized = new ResizeObserver(() => { this.arrange(); for (const panel of this.panels) panel.draw(false); });
    this.setWalks(walks, options.position);
  }

  /** Replaces the walks. @param {Walk[]} walks one or two @param {number} [position] default: the end */
  setWalks(walks, position) {
    this.play(false);
    this.resized.disconnect();
    this.closeCard();
    this.panels = walks.map(walk => new Panel(this, walk, walks.length > 1));
    this.active = this.panels[0];
    this.panelBox.replaceChildren(...this.panels.map(panel => panel.element));
    this.element.classList.toggle("v-two", walks.length > 1);
    this.about();
    this.slider.max = String(this.last());
    this.arrange();
    for (const panel of this.panels) this.resized.observe(panel.tree);
    this.resized.observe(this.panelBox);
    this.go(position ?? this.last(), false);
  }

  /** Chooses the places of the drawings and of the data beside or below them, so that the trees are as large as possible. */
  arrange() {
    const { clientWidth: width, clientHeight: height } = this.panelBox, low = height < 320;
    const side = low ? 300 : 380 * Math.sqrt(this.scale);
    const need = Math.max(...this.panels.map(panel => (panel.leaves() + 1.5) * panel.leastPitch()));
    const two = this.panels.length > 1;
    const stacked = two && (width < 700 || (need * 1.4 > width / 2 && height > 520));
    this.element.classList.toggle("v-stacked", stacked);
    this.element.classList.toggle("v-below", (two && !stacked) || width < 700 || (need > width - side && !low));
    this.element.classList.toggle("v-low", low && !two && width >= 700);
  }

  /** Size of the texts of the drawing. */
  get scale() { return (this.large ? 1.5 : 1) * (this.panelBox.clientWidth >= 1900 ? 1.25 : 1); }

  /** @param {boolean} large */
  setLarge(large) {
    this.large = large;
    this.element.classList.toggle("v-large", large);
    this.arrange();
    for (const panel of this.panels) panel.draw(true);
  }

  about() {
    const { data } = this.panels[0], [max, min] = data.kinds;
    const keys = element("p", { class: "v-keys" });
    keys.innerHTML = "<kbd>→</kbd> <kbd>←</kbd> step, <kbd>PgDn</kbd> <kbd>PgUp</kbd> ten steps, <kbd>Home</kbd> <kbd>End</kbd> start and end, <kbd>space</kbd> play or pause, <kbd>Shift</kbd> and an arrow select a node, <kbd>Enter</kbd> folds or unfolds it, <kbd>+</kbd> <kbd>-</kbd> <kbd>f</kbd> zoom. Click a node for its details, double-click to fold it, click <em>+n</em> to unfold. Drag the tree to move it.";
    const touch = element("p", { class: "v-touch" });
    touch.innerHTML = "› and ‹ step forward and back, the slider jumps. Tap a node for its details, tap it again to fold or unfold it, tap <em>+n</em> to unfold. Drag the tree to move it, zoom with two fingers.";
    const legend = element("p");
    legend.textContent = `Square: ${max}, round: ${min}. All values are for the player to move at the root. In a node: its value; `
      + "2? is tentative, ≤ and ≥ are bounds. Below it: its window (α, β) where there is space, always on the current path; for best-first search its merit h. Small number: visiting order. "
      + "Dashed gray: not visited. ✂: the value and the bound of the cutoff. In the strip above the tree: leaves (blue, short), cutoffs (red), passes (green).";
    const about = this.panels.map(({ data }) => element("p", {}, data.algorithm + " (" + data.source + "): " + data.about));
    this.help.replaceChildren(touch, keys, legend, ...about);
  }

  /** The last position. */
  last() { return Math.max(...this.panels.map(panel => panel.count(this.unit))); }

  /** @param {Unit} unit */
  setUnit(unit) {
    const active = /** @type {Panel} */ (this.active), step = active.replay.now;
    this.unit = unit;
    this.unitSelect.value = unit;
    this.slider.max = String(this.last());
    this.go(active.positionOf(unit, step));
  }

  /** Shows a position; each walk stops at its own end. @param {number} to @param {boolean} [report] */
  go(to, report = true) {
    this.position = Math.max(0, Math.min(this.last(), Math.round(to) || 0));
    this.tapped = false;
    this.closeCard();
    for (const panel of this.panels) panel.show(panel.stepAt(this.unit, this.position));
    this.count.textContent = this.position + " / " + this.last();
    this.slider.value = String(this.position);
    this.slider.setAttribute("aria-valuetext", (this.unit === "leaf" ? "leaf " : "step ") + this.position + " of " + this.last());
    const { replay, dataBox } = /** @type {Panel} */ (this.active);
    this.showPosition(dataBox, replay, Math.max(0, replay.current));
    if (report) this.options.onStep?.(this.position, this.unit);
  }

  /** @param {boolean} on */
  play(on) {
    clearInterval(this.timer);
    this.timer = 0;
    if (on) this.timer = setInterval(() => { if (this.position >= this.last()) this.play(false); else this.go(this.position + 1); }, 900 / Number(this.speedSelect.value));
    this.playButton.replaceChildren(icon(on ? "pause" : "play"));
    this.playButton.setAttribute("aria-label", on ? "Pause" : "Play");
    // A screen reader cannot follow a walk that plays.
    for (const panel of this.panels) panel.live.setAttribute("aria-live", on ? "off" : "polite");
  }

  /** @param {string} id */
  act(id) {
    if (["first", "back", "next", "last", "walk"].includes(id)) this.play(false);
    if (id === "first") this.go(0);
    else if (id === "back") this.go(this.position - 1);
    else if (id === "next") this.go(this.position + 1);
    else if (id === "last") this.go(this.last());
    else if (id === "walk") { this.go(1); this.play(true); }
    else if (id === "play") { if (!this.timer && this.position >= this.last()) this.go(0); this.play(!this.timer); }
    else for (const panel of this.panels) { if (id === "fit") panel.fit(); else panel.scale(id === "larger" ? 1.2 : 1 / 1.2); }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {HTMLElement} */ (event.target), onSlider = target === this.slider;
    if (target.closest("input, textarea, select, [contenteditable]") && !onSlider) return;
    // Space and Enter on a button press it.
    if ((event.key === " " || event.key === "Enter") && target.closest("button, a, summary")) return;
    if (event.shiftKey && event.key.startsWith("Arrow")) this.selectNext(event.key);
    else if (event.key === "Enter") this.active?.toggleFold();
    else if (event.key === "Escape") this.closeCard();
    else if (event.key === "PageDown" || event.key === "PageUp") { this.play(false); this.go(this.position + (event.key === "PageDown" ? 10 : -10)); }
    else {
      const id = { ArrowRight: "next", ArrowLeft: "back", Home: "first", End: "last", " ": "play", "+": "larger", "=": "larger", "-": "smaller", f: "fit" }[event.key];
      if (!id) return;
      this.act(id);
    }
    event.preventDefault();
  }

  /** Selects the parent, the first child or a sibling. @param {string} key */
  selectNext(key) {
    const panel = /** @type {Panel} */ (this.active), { nodes } = panel.replay, i = Math.max(0, panel.selected), parent = nodes[i].parent;
    const siblings = parent === null ? [i] : nodes[parent].children, at = siblings.indexOf(i);
    const next = key === "ArrowUp" ? parent : key === "ArrowDown" ? nodes[i].children[0] : siblings[at + (key === "ArrowRight" ? 1 : -1)];
    if (next !== null && next !== undefined) { this.tapped = false; this.select(panel, next, true); }
  }

  /** Selects a node in all panels. @param {Panel} panel @param {number} i @param {boolean} [follow] */
  select(panel, i, follow = false) {
    this.active = panel;
    const path = panel.replay.path(i);
    for (const other of this.panels) {
      other.selected = other === panel ? i : other.replay.find(path);
      other.draw(follow);
    }
    this.details();
    this.options.onSelect?.(path, panel.replay.nodes[i]);
    panel.draw(false);
  }

  /** Selects the node at a path as if it were clicked on; the nearest ancestor if there is none. @param {Path} path */
  selectPath(path) {
    const panel = /** @type {Panel} */ (this.active);
    let i = -1;
    for (let length = path.length; i < 0 && length >= 0; length--) i = panel.replay.find(path.slice(0, length));
    this.select(panel, i, true);
  }

  /** Shows the details of the selected node in a card. */
  details() {
    const active = /** @type {Panel} */ (this.active), i = Math.max(0, active.selected), node = active.replay.nodes[i];
    this.name.textContent = node.name + " — " + active.data.kinds[node.ply % 2];
    this.facts.setAttribute("aria-live", "polite");
    const lists = this.panels.map(panel => {
      const list = element("dl", {}, ...panel.facts().flatMap(([k, v]) => k ? [element("dt", {}, k), element("dd", {}, v)] : [element("dd", { class: "v-wide" }, v)]));
      return this.panels.length > 1 ? element("div", {}, element("h3", {}, panel.data.algorithm), list) : list;
    });
    this.facts.replaceChildren(...lists);
    active.box.append(this.card);
    this.showPosition(this.card, active.replay, i);
    this.facts.before(this.picture);
  }

  /** Shows the position of a node. @param {HTMLElement} place @param {Replay} replay @param {number} i */
  showPosition(place, replay, i) {
    const { parent, position } = replay.nodes[i], before = parent === null ? "" : replay.nodes[parent].position;
    place.prepend(this.picture);
    if (this.options.drawPosition) this.options.drawPosition(this.picture, position, before);
    else this.picture.textContent = position;
  }

  closeCard() {
    if (!this.card.isConnected) return;
    const active = /** @type {Panel} */ (this.active), hadFocus = this.card.contains(document.activeElement);
    this.card.remove();
    this.showPosition(active.dataBox, active.replay, Math.max(0, active.replay.current));
    if (hadFocus) active.tree.focus({ preventScroll: true });
  }

  /** Places the card beside its node. @param {Panel} panel @param {Item} [item] */
  placeCard(panel, item) {
    if (this.card.parentElement !== panel.box || !item) return;
    const { tree, box, zoom } = panel, { style } = this.card, gap = item.r * zoom + 12;
    const x = item.x * zoom - tree.scrollLeft, y = item.y * zoom - tree.scrollTop, { offsetWidth: width, offsetHeight: height } = this.card;
    const side = x + gap + width <= box.clientWidth ? x + gap : x - gap - width;
    // Beside the node, or below or above it where the screen is narrow.
    style.left = Math.max(0, Math.min(box.clientWidth - width, side < 0 ? x - width / 2 : side)) + "px";
    const top = side >= 0 ? y - 40 : y + gap + height <= box.clientHeight || y < height + gap ? y + gap : y - gap - height;
    style.top = Math.max(0, Math.min(Math.max(0, box.clientHeight - height), top)) + "px";
  }

  /** Removes the viewer. */
  destroy() {
    this.play(false);
    this.resized.disconnect();
    this.keyTarget.removeEventListener("keydown", this.onKey);
    this.element.remove();
  }
}

/**
 * Shows one walk or two in a container.
 * @param {HTMLElement} container
 * @param {Walk[]} walks
 * @param {Options} [options]
 */
export function createViewer(container, walks, options = {}) {
  return new Viewer(container, walks, options);
}
