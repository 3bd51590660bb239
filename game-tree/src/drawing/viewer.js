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
 * @property {boolean} best_first
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
 * @property {Unit} [unit]
 * @property {(position: number, unit: Unit) => void} [onStep]
 * @property {(path: Path, node: TreeNode) => void} [onSelect] called when the user selects a node
 * @property {(container: HTMLElement, position: string, parent: string) => void} [drawPosition] shows the position of a
 *   node, given its description and that of its parent (both can be empty); default: the description as text
 */

const NS = "http:" + "//www.w3.org/2000/svg";
const LEVEL = 112, TOP = 44, SIDE = 78, R = 19;
/** Trees with more nodes are folded. */
const SMALL = 160;
/** Longer walks have no marks of leaves and cutoffs. */
const MAX_MARKED_STEPS = 20000;
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

/** @param {string} id @param {[string, string][]} choices @param {string} chosen @param {string} label */
function choice(id, choices, chosen, label) {
  const select = element("select", { "data-v": id });
  for (const [value, text] of choices) select.append(element("option", { value }, text));
  select.value = chosen;
  return { select, label: element("label", { class: "v-choice" }, label + " ", select) };
}

/** A walk at one of its steps. */
class Replay {
  /** @param {Walk} data */
  constructor(data) {
    this.data = data;
    this.nodes = data.nodes;
    this.steps = data.steps;
    /** Steps applied. */
    this.now = 0;
    this.visits = 0;
    /** @type {NodeState[]} */
    this.state = [];
    this.reset();
  }

  reset() {
    this.now = 0;
    this.visits = 0;
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
    } else if (e.t === "leaf") { s.leaf = true; s.fin = v; s.sign = ""; }
    else if (e.t === "tentative") s.tent = v;
    else if (e.t === "cut") s.cut = { bound: v, by: e.by ?? null };
    else if (e.t === "leave" || e.t === "hit") { s.fin = v; s.sign = e.sign ?? ""; }
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
    return s.win && !s.leaf && !this.data.best_first ? this.window(s.win) : "";
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
    if (this.now === 0) return touch ? "Tap ▶ to start." : "Press → to start.";
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
      case "enter": return this.data.best_first || !s.win ? "" : this.whyWindow(e.n, s.win);
      case "leaf": return this.whyLeaf(e.n);
      case "tentative": return this.whyTentative(e.n);
      case "cut": return this.whyCut(e.n);
      case "leave": return this.whyFinal(e.n);
      case "hit": return "An earlier visit stored this value, so the subtree of " + name + " is not searched again.";
      // Only aspiration searches the root again.
      case "again": return e.n === 0
        ? "The value is outside the aspiration window; the new window extends from the bound just found to infinity."
        : "The test with a null window showed only that the value is outside of it; a wider window finds the value.";
      case "open": return this.whyState(e.n, e.solved === true);
      case "pass": return (e.number ?? 1) > 1 ? "Each pass searches from the root again with another window or depth; the passes of one search share the memory, and move ordering keeps the best moves." : "";
    }
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
    if (p === null || v === null || this.data.best_first) return "";
    const tent = this.state[p].tent, max = this.isMax(p), who = this.nodes[p].name + " (" + this.kind(p) + ")";
    if (tent === null) return "It is the first value of " + who + ", which takes the " + (max ? "largest" : "smallest") + " value of its children.";
    if (max ? v > tent : v < tent) return who + " takes the " + (max ? "larger" : "smaller") + " of " + this.num(v) + " and its tentative value " + this.num(tent) + ": it improves.";
    return who + " already has " + this.num(tent) + " and keeps it.";
  }

  /** @param {number} i */
  whyTentative(i) {
    const s = this.state[i], v = s.tent ?? 0, max = this.isMax(i);
    if (!s.win || this.data.best_first) return "";
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
    if (!s.win || s.leaf) return "";
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
      const nodes = data.nodes.map(node => ({ ...node, children: [...node.children].sort((x, y) => data.nodes[x].index - data.nodes[y].index) }));
      data = { ...data, nodes };
    }
    this.replay = new Replay(data);
    this.data = data;
    this.small = data.nodes.length <= SMALL;
    this.selected = 0;
    this.zoom = 1;
    this.opened = new Set();
    this.closed = new Set();
    this.allShown = new Set();
    this.title = element("h2", { class: "v-title", "data-v": "title" }, data.title);
    this.subtitle = element("p", { class: "v-subtitle" }, data.subtitle);
    this.step = element("span", { class: "v-step", "data-v": "step" });
    this.sentence = element("p", { class: "v-sentence", "data-v": "sentence" });
    this.why = element("p", { class: "v-why", "data-v": "why" });
    this.live = element("div", { class: "v-live", "aria-live": "polite", "aria-atomic": "true" }, this.sentence, this.why);
    this.marks = svgElement("svg", { class: "v-marks", preserveAspectRatio: "none", "aria-hidden": "true" });
    this.cursor = svgElement("line", { class: "v-cursor", x1: 0, x2: 0, y1: 0, y2: 10 });
    this.tree = element("div", { class: "v-tree", tabindex: "0", role: "group", "data-v": "tree", "aria-label": "Tree of " + data.algorithm });
    this.notice = element("p", { class: "v-notice" }, data.truncated ? "The drawing is incomplete: the node limit was reached." : "");
    this.element = element("section", { class: "v-panel", "aria-label": data.algorithm },
      this.title, this.subtitle, element("div", { class: "v-progress" }, this.marks, this.step), this.live, this.notice, this.tree);
    /** Steps after which a leaf has been evaluated, with the start and the end. */
    this.leafStops = [0];
    data.steps.forEach((step, k) => { if (step.t === "leaf") this.leafStops.push(k + 1); });
    if (this.leafStops[this.leafStops.length - 1] !== data.steps.length) this.leafStops.push(data.steps.length);
    this.drawMarks();
    this.listen();
  }

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
    const list = this.shown();
    this.place(list);
    const { width, height } = this.size(list);
    // On narrow screens the tree scrolls, because it would be too small to read.
    const least = this.viewer.touch ? .7 : this.tree.clientWidth < 700 ? .55 : .3;
    this.zoom = Math.max(least, Math.min(1.6, (this.tree.clientWidth - 4) / width, (this.tree.clientHeight - 4) / height));
    this.draw(true);
  }

  /** @typedef {{i: number, parent: number, children: number[], stub: number, below: number, span: number, left: number, stubx: number, x: number}} Item */

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
      list.push({ i, parent, children: [], stub: 0, below: 0, span: 0, left: 0, stubx: 0, x: 0 });
      if (parent >= 0) list[parent].children.push(index);
      const children = nodes[i].children;
      if (!children.length) continue;
      const open = !this.closed.has(i) && (this.small || this.opened.has(i) || path.has(i) || (ended && nodes[i].line));
      let visible = open ? children : [];
      if (open && !this.allShown.has(i)) {
        const unseen = children.filter(k => !state[k].order);
        const most = this.small ? 12 : 7;
        if (!this.small || unseen.length > 6) {
          const important = (/** @type {number} */ k) => path.has(k) || (ended && nodes[k].line);
          const recent = new Set(children.filter(k => state[k].order).sort((x, y) => state[x].order - state[y].order).slice(-most));
          visible = children.filter(k => important(k) || recent.has(k) || (this.small && children.length <= most));
        }
      }
      list[index].stub = children.length - visible.length;
      for (let k = visible.length - 1; k >= 0; k--) todo.push([visible[k], index]);
    }
    return list;
  }

  /** Sets the positions: widths from the leaves up, then from the root down, parents above the middle. @param {Item[]} list */
  place(list) {
    const { replay } = this, { nodes } = replay;
    const texts = (/** @type {string} */ t) => t.length * 7.3, digits = String(Math.min(nodes.length, this.data.visited)).length;
    for (let k = list.length - 1; k >= 0; k--) {
      const it = list[k];
      let own = 2 * R + texts(nodes[it.i].label) + digits * 6.5 + 22;
      own = Math.max(own, texts(replay.underText(it.i)) + 12, texts(replay.cutText(it.i)) + 12);
      let below = it.stub ? 56 : 0;
      for (const kid of it.children) below += list[kid].span;
      it.below = below;
      it.span = Math.max(own, below);
    }
    if (list.length) list[0].left = SIDE;
    for (const it of list) {
      let at = it.left + (it.span - it.below) / 2;
      for (const kid of it.children) { list[kid].left = at; at += list[kid].span; }
      it.stubx = at + 28;
      it.x = it.left + it.span / 2;
    }
    for (let k = list.length - 1; k >= 0; k--) {
      const it = list[k];
      if (it.children.length) {
        const right = it.stub ? it.stubx : list[it.children[it.children.length - 1]].x;
        it.x = (list[it.children[0]].x + right) / 2;
      }
    }
  }

  /** @param {Item[]} list */
  size(list) {
    const deepest = Math.max(...list.map(it => this.replay.nodes[it.i].ply + (it.stub && it.children.length ? 1 : 0)));
    return { deepest, width: Math.max(...list.map(it => it.left + it.span)) + 30, height: TOP + LEVEL * deepest + 84 };
  }

  /** Draws the tree. @param {boolean} follow whether to scroll to the current node */
  draw(follow) {
    const { replay, zoom, tree } = this, { nodes, state, ended, current } = replay;
    const list = this.shown();
    this.place(list);
    const { deepest, width: needed, height } = this.size(list);
    const width = Math.max(needed, Math.floor(tree.clientWidth / zoom) - 1);
    const label = this.data.algorithm + ", step " + replay.now + " of " + replay.steps.length + ": " + this.sentence.textContent;
    const svg = svgElement("svg", { class: "v-picture", viewBox: `0 0 ${width} ${height}`, width: width * zoom, height: height * zoom, role: "img", "aria-label": label });
    const y = (/** @type {number} */ ply) => TOP + LEVEL * ply;
    for (let ply = 0; ply <= deepest; ply++) {
      if (ply % 2) svg.append(svgElement("rect", { class: "band", x: 0, y: y(ply) - LEVEL / 2 + 6, width, height: LEVEL }));
      svg.append(svgElement("text", { class: "rank", x: 14, y: y(ply) + 5 }, this.data.kinds[ply % 2]));
    }
    for (const it of list) for (const kid of it.children) {
      const child = list[kid], seen = state[child.i].order || replay.stateName(child.i) === "open";
      const y1 = y(nodes[it.i].ply) + R, y2 = y(nodes[child.i].ply) - R;
      const pv = ended && nodes[child.i].line;
      svg.append(svgElement("line", { class: "edge" + (pv ? " pv" : seen ? "" : " off"), x1: it.x, y1, x2: child.x, y2 }));
      if (!seen && state[it.i].cut) {
        const cx = it.x + (child.x - it.x) * .62, cy = y1 + (y2 - y1) * .62;
        svg.append(svgElement("line", { class: "cutmark", x1: cx - 8, y1: cy + 4, x2: cx + 8, y2: cy - 4 }));
      }
    }
    for (const it of list) {
      if (it.stub) this.drawStub(svg, it, y);
      svg.append(this.drawNode(it, y(nodes[it.i].ply), current, ended));
    }
    const left = tree.scrollLeft, top = tree.scrollTop;
    tree.replaceChildren(svg);
    tree.scrollLeft = left;
    tree.scrollTop = top;
    const target = follow && list.find(it => it.i === this.selected);
    if (target) this.reveal(target.x * zoom, y(nodes[target.i].ply) * zoom);
  }

  /** @param {SVGElement} svg @param {Item} it @param {(ply: number) => number} y */
  drawStub(svg, it, y) {
    const ply = this.replay.nodes[it.i].ply;
    const sy = y(ply) + (it.children.length ? LEVEL - 2 : R + 52), sx = it.children.length ? it.stubx : it.x;
    if (it.children.length) svg.append(svgElement("line", { class: "edge off", x1: it.x, y1: y(ply) + R, x2: sx, y2: sy - 15 }));
    const stub = svgElement("text", { class: "stub", x: sx, y: sy, "text-anchor": "middle", "data-stub": it.i }, "+" + it.stub);
    stub.addEventListener("click", () => this.unfold(it.i));
    svg.append(stub);
  }

  /** @param {Item} it @param {number} y @param {number} current @param {boolean} ended */
  drawNode(it, y, current, ended) {
    const i = it.i, { nodes, state } = this.replay, s = state[i], max = this.replay.isMax(i), x = it.x;
    const classes = ["node", max ? "max" : "min"];
    if (ended && nodes[i].line) classes.push("pv");
    if (i === current) classes.push("now");
    if (i === this.selected) classes.push("selected");
    const value = this.replay.valueText(i), stateName = this.replay.stateName(i);
    const g = svgElement("g", { class: classes.join(" "), "data-node": i, "data-name": nodes[i].name, "data-state": stateName, "data-value": value });
    const box = (/** @type {string} */ cls, /** @type {number} */ r) => max
      ? svgElement("rect", { class: cls, x: x - r, y: y - r, width: 2 * r, height: 2 * r, rx: r > R ? 7 : 4 })
      : svgElement("circle", { class: cls, cx: x, cy: y, r });
    g.append(box("halo", R + 6), box("shape", R));
    g.append(svgElement("text", { class: "value" + (s.fin === null ? " tentative" : ""), x, y: y + 5, "font-size": value.length > 5 ? 10 : value.length > 3 ? 12 : 15, "text-anchor": "middle" }, value));
    g.append(svgElement("text", { class: "label", x: x - R - 9, y: y - 3, "font-size": 14, "text-anchor": "end" }, nodes[i].label));
    if (s.order) g.append(svgElement("text", { class: "order", x: x + R + 9, y: y - R + 6 }, s.order));
    let below = y + R + 18;
    const text = this.replay.underText(i);
    if (text) { textOnPaper(g, "small", x, below, text); below += 16; }
    if (s.cut) textOnPaper(g, "cuttext", x, below, this.replay.cutText(i));
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
    if (s.win && !this.data.best_first) rows.push(["window", replay.window(s.win)]);
    if (s.tent !== null) rows.push(["tentative", replay.num(s.tent)]);
    if (i === 0 && replay.ended) rows.push(["value", "= " + replay.num(this.data.value)]);
    else if (s.fin !== null) rows.push(["value", (s.sign || "=") + " " + replay.num(s.fin)]);
    if (s.open !== null) rows.push(["merit", replay.num(s.open) + (s.live ? ", live" : ", solved")]);
    if (s.cut) rows.push(["cutoff", replay.cutText(i).slice(2)], ["", replay.whyCut(i)]);
    if (replay.nodes[i].line) rows.push(["", "on the principal variation"]);
    return rows;
  }
}

/** @param {SVGElement} g @param {string} cls @param {number} x @param {number} y @param {string} text */
function textOnPaper(g, cls, x, y, text) {
  const w = text.length * 6.7 + 6;
  g.append(svgElement("rect", { class: "paper", x: x - w / 2, y: y - 11.5, width: w, height: 15, rx: 3 }));
  g.append(svgElement("text", { class: cls, x, y, "text-anchor": "middle" }, text));
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
    /** Place for controls of the page, such as an editor of the selected node. */
    this.tools = element("div", { class: "v-tools" });
    const buttons = /** @type {[string, string, string][]} */ ([
      ["walk", "Walk through", "Start at the first step and play"], ["first", "|◀", "To the start (Home)"], ["back", "◀", "One step back (←)"],
      ["play", "▶▶", "Play (space)"], ["next", "▶", "One step forward (→)"], ["last", "▶|", "To the end (End)"],
    ]);
    const button = (/** @type {string} */ id, /** @type {string} */ text, /** @type {string} */ title) => {
      const made = element("button", { type: "button", "data-v": id, title }, text);
      if (id !== "walk") made.setAttribute("aria-label", title.replace(/ \(.*/, ""));
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
    this.playButton = button(...buttons[3]);
    const bar = element("div", { class: "v-bar", role: "toolbar", "aria-label": "Steps" },
      element("span", { class: "v-group" }, ...buttons.map(b => b[0] === "play" ? /** @type {HTMLButtonElement} */ (this.playButton) : button(...b))),
      element("span", { class: "v-group v-seek" }, this.slider, this.count),
      element("span", { class: "v-group" }, unit.label, speed.label),
      element("span", { class: "v-group" }, button("smaller", "−", "Smaller (-)"), button("larger", "+", "Larger (+)"), button("fit", "⤢", "Fit the width (f)")));
    this.panelBox = element("div", { class: "v-panels" });
    this.name = element("h2", { class: "v-name", "data-v": "name" });
    this.picture = element("div", { class: "v-position", "data-v": "node-position" });
    this.facts = element("div", { class: "v-facts" });
    this.help = element("div", { class: "v-help" });
    const side = element("aside", { class: "v-side", "aria-label": "Node" }, this.name, this.picture, this.facts, this.tools, this.help);
    this.element = element("div", { class: "viewer" }, bar, element("div", { class: "v-body" }, this.panelBox, side));
    container.append(this.element);
    /** @type {(event: KeyboardEvent) => void} */
    this.onKey = event => this.key(event);
    this.keyTarget = /** @type {HTMLElement} */ (this.options.documentKeys ? document.documentElement : this.element);
    this.keyTarget.addEventListener("keydown", this.onKey);
    this.resized = new ResizeObserver(() => { for (const panel of this.panels) panel.draw(false); });
    this.setWalks(walks, options.position);
  }

  /** Replaces the walks. @param {Walk[]} walks one or two @param {number} [position] default: the end */
  setWalks(walks, position) {
    this.play(false);
    this.resized.disconnect();
    const old = this.panels;
    this.panels = walks.map(walk => new Panel(this, walk, walks.length > 1));
    this.active = this.panels[0];
    this.panelBox.replaceChildren(...this.panels.map(panel => panel.element));
    this.element.classList.toggle("v-two", walks.length > 1);
    this.about();
    this.slider.max = String(this.last());
    this.panels.forEach((panel, k) => {
      // The texts of the final tree need the most width.
      panel.replay.to(panel.data.steps.length);
      if (panel.small) panel.fit();
      else if (old[k]) panel.zoom = old[k].zoom;
      this.resized.observe(panel.tree);
    });
    this.go(position ?? this.last(), false);
  }

  about() {
    const { data } = this.panels[0], [max, min] = data.kinds;
    const keys = element("p", { class: "v-keys" });
    keys.innerHTML = "<kbd>→</kbd> <kbd>←</kbd> step, <kbd>PgDn</kbd> <kbd>PgUp</kbd> ten steps, <kbd>Home</kbd> <kbd>End</kbd> start and end, <kbd>space</kbd> play or pause, <kbd>Shift</kbd> and an arrow select a node, <kbd>Enter</kbd> folds or unfolds it, <kbd>+</kbd> <kbd>-</kbd> <kbd>f</kbd> zoom. Click a node for its details, double-click to fold it, click <em>+n</em> to unfold. Drag the tree to move it.";
    const touch = element("p", { class: "v-touch" });
    touch.innerHTML = "▶ and ◀ step forward and back, the slider jumps. Tap a node for its details, tap it again to fold or unfold it, tap <em>+n</em> to unfold. Drag the tree to move it, zoom with two fingers.";
    const legend = element("p");
    legend.textContent = `Square: ${max}, circle: ${min}. All values are for the player to move at the root. In a node: its value; `
      + "2? is tentative, ≤ and ≥ are bounds. Below it: its window (α, β); for best-first search its merit h. Small number: visiting order. "
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
    for (const panel of this.panels) panel.show(panel.stepAt(this.unit, this.position));
    this.count.textContent = this.position + " / " + this.last();
    this.slider.value = String(this.position);
    this.slider.setAttribute("aria-valuetext", (this.unit === "leaf" ? "leaf " : "step ") + this.position + " of " + this.last());
    this.details();
    if (report) this.options.onStep?.(this.position, this.unit);
  }

  /** @param {boolean} on */
  play(on) {
    clearInterval(this.timer);
    this.timer = 0;
    if (on) this.timer = setInterval(() => { if (this.position >= this.last()) this.play(false); else this.go(this.position + 1); }, 900 / Number(this.speedSelect.value));
    this.playButton.textContent = on ? "❚❚" : "▶▶";
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
    this.details(true);
    this.options.onSelect?.(path, panel.replay.nodes[i]);
  }

  /** Selects the node at a path as if it were clicked on; the nearest ancestor if there is none. @param {Path} path */
  selectPath(path) {
    const panel = /** @type {Panel} */ (this.active);
    let i = -1;
    for (let length = path.length; i < 0 && length >= 0; length--) i = panel.replay.find(path.slice(0, length));
    this.select(panel, i, true);
  }

  /** Shows the details of the selected node. @param {boolean} [announce] */
  details(announce = false) {
    const active = /** @type {Panel} */ (this.active), node = active.replay.nodes[Math.max(0, active.selected)];
    this.name.textContent = node.name + " — " + active.data.kinds[node.ply % 2];
    this.facts.setAttribute("aria-live", announce ? "polite" : "off");
    const lists = this.panels.map(panel => {
      // While stepping, the panels can be at different nodes; the details are those of one.
      const kept = panel.selected;
      if (panel !== active) panel.selected = panel.replay.find(active.replay.path(Math.max(0, active.selected)));
      const rows = panel.facts();
      panel.selected = panel !== active && !announce ? kept : panel.selected;
      const list = element("dl", {}, ...rows.flatMap(([k, v]) => k ? [element("dt", {}, k), element("dd", {}, v)] : [element("dd", { class: "v-wide" }, v)]));
      return this.panels.length > 1 ? element("div", {}, element("h3", {}, panel.data.algorithm), list) : list;
    });
    this.facts.replaceChildren(...lists);
    const parent = node.parent === null ? "" : active.replay.nodes[node.parent].position;
    if (this.options.drawPosition) this.options.drawPosition(this.picture, node.position, parent);
    else this.picture.textContent = node.position;
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
