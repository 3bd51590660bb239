/** The view that shows the reference algorithms on a tree or on the position of the board. */

import { drawPosition } from "../../../../src/chess_tree/board.js";
import { createViewer, type Path, type TreeNode, type Unit, type Viewer, type Walk } from "../../../../game-tree/src/drawing/viewer.js";
import type { App, Params, View } from "../app";
import { copyText, downloadBlob, h, setInvalid } from "../dom";
import { Algorithms, RequestError, type Algorithm, type Catalog, type Search } from "./client";
import { Comparison } from "./compare";
import { pngOf, svgOf } from "./export";
import { startPredicting } from "./predict";
import { PRESETS } from "./presets";
import { stateDrawer } from "./state";
import { TEXTS } from "./texts";
import { clampRandom, duplicateName, formatTree, minimalLeaves, nodeAt, parseTree, RANDOM_LIMITS, randomTree, type RandomTree } from "./tree-text";

const DEFAULT_ALGORITHM = "alpha-beta fail-soft";
/** Time after the last change of a text before it is searched, in milliseconds. */
const TYPING_PAUSE = 250;
/** Texts above this length are not written to the URL. */
const MAX_URL_TEXT = 20_000;

const RANDOM_FIELDS: [keyof RandomTree, string][] = [["width", "Children"], ["depth", "Depth"], ["order", "Random tree: best first, %"], ["range", "Largest value"]];

/** Returns the random tree that a URL describes: width, depth, order, range and seed. */
function randomOf(text: string | null): RandomTree | undefined {
  if (text === null) return undefined;
  const [width = 2, depth = 4, order = 50, range = 20, seed = 0] = text.split(",").map(Number);
  return clampRandom({ width, depth, order, range, seed });
}

/** Returns the state of the view that the parameters of a URL describe. */
function stateOf(params: URLSearchParams) {
  const random = randomOf(params.get("random"));
  return {
    board: params.get("source") === "board" || (params.has("fen") && !params.has("tree")),
    tree: random ? randomTree(random) : params.get("tree") ?? PRESETS[0]?.tree() ?? "(1 2)",
    /** How the tree was made, if it is a random one. */
    random,
    algorithm: params.get("algorithm") ?? DEFAULT_ALGORITHM,
    against: params.get("against") ?? "",
    depth: Number(params.get("depth") ?? 2),
    ordering: new Set((params.get("ordering") ?? "").split(",").filter(Boolean)),
    memory: params.get("memory") === "1",
    guess: params.get("guess") ?? "",
    delta: params.get("delta") ?? "1",
    step: Number(params.get("step")) || 0,
    large: params.get("large") === "1",
    unit: (params.get("unit") === "leaf" ? "leaf" : "event") as Unit,
  };
}

/** The state of the last visit. */
let last: ReturnType<typeof stateOf> | undefined;

/** Mounts the view. */
export function mount(container: HTMLElement, app: App): View {
  const algorithms = new Algorithms();
  // A link without parameters leads to the state of the last visit.
  const state = app.params.toString() === "" && last ? last : stateOf(app.params);
  last = state;
  let catalog: Catalog | undefined;
  let viewer: Viewer | undefined;
  /** Ends the mode that asks questions. */
  let endPredicting: (() => void) | undefined;
  /** The tree texts before the changes of nodes. */
  const history: string[] = [];
  /** Number of the latest run; replies to earlier ones are ignored. */
  let run = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let selected: Path | undefined;
  /** The control of the selected node that had the focus before the drawing was replaced. */
  let refocus: string | undefined;
  let closed = false;

  // Input
  const source = (board: boolean, text: string, id: string) => {
    const input = h("input", { type: "radio", name: "learn-source", value: id, "data-testid": `source-${id}`, onchange: () => setBoard(board) });
    input.checked = state.board === board;
    return { input, element: h("label", {}, input, h("span", {}, text)) };
  };
  const treeSource = source(false, "Tree", "tree"), boardSource = source(true, "Position", "board");
  const preset = h("select", { id: "preset", "data-testid": "preset", onchange: () => choosePreset() },
    h("option", { value: "" }, "Own tree"), h("option", { value: "random" }, "Random tree"), ...PRESETS.map(({ id, name }) => h("option", { value: id }, name)));
  const note = h("p", { class: "message" });
  const tree = h("textarea", {
    id: "tree", class: "mono", rows: 2, spellcheck: "false", autocapitalize: "off", "data-testid": "tree", "aria-describedby": "tree-error tree-hint",
    oninput: () => {
      state.tree = tree.value;
      state.random = undefined;
      matchPreset();
      later();
    },
  });
  tree.value = state.tree;
  const treeError = h("p", { class: "field-error", id: "tree-error", role: "alert", "data-testid": "tree-error" });
  const treeWarning = h("p", { class: "message", role: "status", "data-testid": "tree-warning" });
  const undo = h("button", {
    type: "button", "data-testid": "undo", onclick: () => {
      const text = history.pop();
      if (text !== undefined) setTree(text);
    },
  }, "Undo");
  const sliders = RANDOM_FIELDS.map(([key, label]) => {
    const value = h("output", {});
    const input = h("input", {
      type: "range", id: `random-${key}`, min: RANDOM_LIMITS[key][0], max: RANDOM_LIMITS[key][1], step: 1, "data-testid": `random-${key}`,
      oninput: () => {
        if (!state.random) history.push(state.tree);
        setRandom({ ...(state.random ?? randomOf("")!), [key]: Number(input.value) });
      },
    });
    return { key, input, value, element: h("div", { class: "field" }, h("label", { for: `random-${key}` }, `${label} `, value), input) };
  });
  const order = sliders.find(({ key }) => key === "order")!.element;
  const randomBox = h("div", { class: "learn-random" }, ...sliders.map(({ element }) => element).filter((element) => element !== order),
    h("button", { type: "button", "data-testid": "random-new", onclick: () => setRandom({ ...(state.random ?? randomOf("")!), seed: newSeed() }) }, "Another tree"));
  const treeBox = h("div", { class: "stack" },
    note, randomBox, field("Tree", tree, "tree"), treeError, treeWarning, h("div", { class: "buttons" }, undo),
    h("p", { class: "message", id: "tree-hint" }, "Numbers are leaves, brackets inner nodes, words names; the root is MAX. To change a node, select it in the drawing."));
  const presetField = field("Example", preset, "preset");
  const fen = h("input", { type: "text", id: "fen", class: "mono", spellcheck: "false", "aria-describedby": "fen-error", "data-testid": "learn-fen", onchange: () => setFen() });
  const fenError = h("p", { class: "field-error", id: "fen-error", role: "alert", "data-testid": "fen-error" });
  const depth = h("select", { id: "depth", "data-testid": "depth", onchange: () => { state.depth = Number(depth.value); start(); } },
    ...[1, 2, 3].map((plies) => h("option", { value: plies }, `${plies} ${plies === 1 ? "ply" : "plies"}`)));
  depth.value = String(state.depth);
  if (depth.value === "") depth.value = String(state.depth = 2);
  const depthField = field("Depth", depth, "depth");
  const boardBox = h("div", { class: "stack" },
    field("Position on the board (FEN)", fen, "fen"), fenError,
    h("p", { class: "message" }, "Leaves are evaluated by material and piece-square tables, in centipawns. The position is shared with ",
      h("a", { href: "#/analyze", onclick: (event: Event) => { event.preventDefault(); app.navigate("analyze"); } }, "Analyze"), "."));

  // Algorithms and settings
  const first = h("select", { id: "algorithm", "data-testid": "algorithm", onchange: () => choose(first.value, state.against) });
  const second = h("select", { id: "against", "data-testid": "against", onchange: () => choose(state.algorithm, second.value) });
  const about = h("div", { class: "learn-about", "aria-live": "polite" });
  const orderings = h("div", { class: "learn-checks" });
  const memory = h("input", { type: "checkbox", id: "memory", "data-testid": "memory", onchange: () => { state.memory = memory.checked; start(); } });
  memory.checked = state.memory;
  const number = (id: "guess" | "delta", placeholder: string) => {
    const input: HTMLInputElement = h("input", {
      type: "number", id, step: 1, placeholder, "data-testid": id, "aria-describedby": "number-error",
      oninput: () => { state[id] = input.value; later(); },
    });
    input.value = state[id];
    return input;
  };
  const guess = number("guess", "static value"), delta = number("delta", "1");
  delta.min = "1";
  const guessField = field("Expected value", guess, "guess"), deltaField = field("Half window width", delta, "delta");
  const numberError = h("p", { class: "field-error", id: "number-error", role: "alert", "data-testid": "number-error" });
  const memoryField = h("label", { class: "learn-check" }, memory, " memory (transposition table)");
  const settings = h("details", { class: "learn-settings" },
    h("summary", {}, "Move ordering, memory, windows"),
    h("fieldset", {}, h("legend", {}, "Move ordering"), orderings), memoryField, h("div", { class: "settings" }, guessField, deltaField), numberError);
  settings.open = state.ordering.size > 0 || state.memory || state.guess !== "";

  const failure = h("p", { class: "field-error", role: "alert", "data-testid": "learn-error" });
  const stage = h("div", { class: "learn-viewer", "data-testid": "viewer" });
  const drawState = stateDrawer((name) => row(name)?.memory === "always" || (state.memory && row(name)?.memory === "optional"), () => endPredicting !== undefined);
  const comparison = new Comparison({ walk: (name) => algorithms.walk(search(), name), choose, order });
  const action = (id: string, text: string, onclick: () => void) => h("button", { type: "button", "data-testid": id, onclick }, text);
  const actionMessage = h("span", { class: "message", role: "status", "data-testid": "action-message" });
  const report = (work: Promise<string>) => void work.catch((error: Error) => `This failed: ${error.message}.`).then((text) => { actionMessage.textContent = text; });
  const link = async (url: string, what: string) => (await copyText(url)) ? `${what} copied.` : `The browser does not allow access to the clipboard. ${what}: ${url}`;
  const fileName = () => `aspirant-${state.algorithm.replace(/[^a-z0-9]+/g, "-").replace(/-$/, "")}`;
  const predict = action("predict-start", "Predict", () => setPredicting(endPredicting === undefined));
  const large = action("large", "Large text", () => {
    state.large = !state.large;
    viewer?.setLarge(state.large);
    large.setAttribute("aria-pressed", String(state.large));
    writeParams();
  });
  large.setAttribute("aria-pressed", String(state.large));
  const actions = h("div", { class: "buttons learn-actions" }, predict, large,
    action("export-svg", "SVG", () => viewer && downloadBlob(`${fileName()}.svg`, new Blob([svgOf(viewer).text], { type: "image/svg+xml" }))),
    action("export-png", "PNG", () => viewer && report(pngOf(viewer).then((blob) => { downloadBlob(`${fileName()}.png`, blob); return ""; }))),
    action("copy-link", "Copy link", () => report(link(address(), "Link"))),
    action("copy-embed", "Embed", () => report(link(`<iframe src="${address("embed")}" title="${state.algorithm}" width="100%" height="640"></iframe>`, "HTML for other pages"))),
    actionMessage);
  /** Place of the questions. */
  const questions = h("div", {});
  const page = h("div", { class: "learn" },
    h("h1", { class: "visually-hidden" }, "Learn"),
    h("section", { class: "card learn-choice", "aria-label": "Search" },
      h("div", { role: "radiogroup", "aria-labelledby": "source-label" }, h("span", { class: "legend", id: "source-label" }, "Search"), h("div", { class: "segments" }, treeSource.element, boardSource.element)), presetField, depthField,
      field("Algorithm", first, "algorithm"), field("Compare with", second, "against")),
    failure, questions, stage, actions,
    h("section", { class: "card learn-input", "aria-label": "Input" }, treeBox, boardBox),
    h("section", { class: "card learn-about-card", "aria-label": "Algorithms" }, about, settings),
    comparison.element);
  container.append(page);

  const unsubscribe = app.onPosition(() => {
    showFen();
    if (state.board) start();
  });
  showFen();
  showSource();
  matchPreset();
  void begin();

  async function begin(): Promise<void> {
    try {
      catalog = await algorithms.algorithms();
    } catch (error) {
      if (closed) return;
      const retry = h("button", { type: "button", "data-testid": "learn-retry", onclick: () => { failure.replaceChildren(); void begin(); } }, "Try again");
      failure.replaceChildren((error as Error).message, " ", retry);
      return;
    }
    if (closed) return;
    const names = catalog.algorithms.map(({ name }) => name);
    const heuristics = catalog.orderings.map(({ name }) => name);
    const problems = [state.algorithm, state.against].filter((name) => name !== "" && !names.includes(name))
      .map((name) => `Algorithm "${name}" in the URL is unknown and ignored; expected one of: ${names.join(", ")}.`);
    for (const unknown of [...state.ordering].filter((name) => name !== "all" && !heuristics.includes(name))) {
      state.ordering.delete(unknown);
      if (unknown !== "none") problems.push(`Move ordering "${unknown}" in the URL is unknown and ignored; expected all, none or a list of: ${heuristics.join(", ")}.`);
    }
    if (problems.length > 0) app.showError(problems.join(" "));
    if (!names.includes(state.algorithm)) state.algorithm = DEFAULT_ALGORITHM;
    if (!names.includes(state.against)) state.against = "";
    const options = () => catalog?.algorithms.map(({ name, year }) => h("option", { value: name }, `${name} (${year})`)) ?? [];
    first.append(...options());
    second.append(h("option", { value: "" }, "none"), ...options());
    for (const { name, summary } of catalog.orderings) {
      const box = h("input", {
        type: "checkbox", "data-testid": `ordering-${name}`, onchange: () => {
          if (box.checked) state.ordering.add(name);
          else state.ordering.delete(name);
          start();
        },
      });
      box.checked = state.ordering.has(name) || state.ordering.has("all");
      if (box.checked) state.ordering.add(name);
      orderings.append(h("label", { class: "learn-check" }, box, ` ${name}: ${summary}`));
    }
    state.ordering.delete("all");
    showAlgorithms();
    start();
  }

  function row(name: string): Algorithm | undefined {
    return catalog?.algorithms.find((algorithm) => algorithm.name === name);
  }

  function showAlgorithms(): void {
    first.value = state.algorithm;
    second.value = state.against;
    const shown = [state.algorithm, state.against].map(row).filter((algorithm) => algorithm !== undefined);
    about.replaceChildren(...shown.map(({ name, authors, year, paper, summary, link }) =>
      h("p", {}, h("strong", {}, name), `, ${authors} ${year}. ${TEXTS[name] ?? summary} `,
        h("a", { href: link, target: "_blank", rel: "noopener", title: paper, "aria-label": `More about ${name}, in a new tab` }, "More"))));
    memoryField.hidden = !shown.some(({ memory: use }) => use === "optional");
    guessField.hidden = !shown.some(({ guess: takes }) => takes);
    deltaField.hidden = !shown.some(({ delta: takes }) => takes);
  }

  function choose(algorithm: string, against: string): void {
    state.algorithm = algorithm;
    state.against = against;
    showAlgorithms();
    restart();
  }

  function setBoard(board: boolean): void {
    state.board = board;
    showSource();
    restart();
  }

  function showSource(): void {
    treeBox.hidden = presetField.hidden = order.hidden = state.board;
    depthField.hidden = !state.board;
    boardBox.hidden = !state.board;
    guess.placeholder = state.board ? "static value" : "0";
  }

  function showFen(): void {
    fen.value = app.fen;
    fenError.textContent = "";
    setInvalid(fen, false);
  }

  function setFen(): void {
    try {
      app.setFen(fen.value.trim());
    } catch (error) {
      fenError.textContent = (error as Error).message;
      setInvalid(fen, true);
    }
  }

  function choosePreset(): void {
    history.length = 0;
    if (preset.value === "random") {
      setRandom(state.random ?? { ...randomOf("")!, seed: newSeed() });
      return;
    }
    const chosen = PRESETS.find(({ id }) => id === preset.value);
    if (chosen) setTree(chosen.tree());
  }

  function newSeed(): number {
    return Math.floor(Math.random() * RANDOM_LIMITS.seed[1]);
  }

  function setRandom(wanted: RandomTree): void {
    const random = clampRandom(wanted);
    setTree(randomTree(random), random);
  }

  /** Shows which preset or random tree the tree is, and what is odd about its text. */
  function matchPreset(): void {
    const found = PRESETS.find(({ tree: text }) => text() === state.tree);
    preset.value = state.random ? "random" : found?.id ?? "";
    note.textContent = found?.note ?? "";
    randomBox.hidden = state.random === undefined;
    for (const { key, input, value } of sliders) value.textContent = input.value = String((state.random ?? randomOf("")!)[key]);
    const root = parseTree(state.tree), name = root && duplicateName(root);
    treeWarning.textContent = name === undefined ? "" : `The name "${name}" occurs more than once, so sentences about it are ambiguous.`;
    undo.hidden = history.length === 0;
  }

  function setTree(text: string, random?: RandomTree): void {
    state.tree = text;
    state.random = random;
    tree.value = text;
    matchPreset();
    restart();
  }

  function later(): void {
    clearTimeout(timer);
    timer = setTimeout(start, TYPING_PAUSE);
  }

  /** Returns the integer in a field; undefined if it contains anything else. */
  function integer(text: string): number | undefined {
    return /^[-+]?\d+$/.test(text.trim()) ? Number(text) : undefined;
  }

  /** Reports values that are not integers; the search uses the defaults instead. */
  function checkNumbers(): void {
    const fields = [
      { input: guess, label: "Expected value", text: state.guess, instead: "the static value of the root" },
      { input: delta, label: "Half window width", text: state.delta, instead: "1" },
    ];
    const invalid = fields.filter(({ text }) => text.trim() !== "" && integer(text) === undefined);
    for (const field of fields) setInvalid(field.input, invalid.includes(field));
    numberError.textContent = invalid.map(({ label, text, instead }) => `${label} "${text}" is not an integer; ${instead} is used.`).join(" ");
    if (invalid.length > 0) settings.open = true;
  }

  function search(): Search {
    const input = state.board ? { fen: app.fen, depth: state.depth } : { tree: state.tree };
    return { ...input, ordering: [...state.ordering], memory: state.memory, guess: integer(state.guess), delta: integer(state.delta) };
  }

  function writeParams(): void {
    const text = state.board || state.random ? undefined : state.tree;
    app.setParams({
      source: state.board ? "board" : undefined,
      tree: text !== undefined && text.length <= MAX_URL_TEXT ? text : undefined,
      random: state.random && !state.board ? RANDOM_FIELDS.map(([key]) => state.random?.[key]).concat(state.random.seed).join(",") : undefined,
      large: state.large ? 1 : undefined,
      fen: state.board ? app.fen : undefined,
      moves: undefined,
      ply: undefined,
      depth: state.board ? state.depth : undefined,
      algorithm: state.algorithm,
      against: state.against || undefined,
      ordering: [...state.ordering].join(",") || undefined,
      memory: state.memory ? 1 : undefined,
      guess: integer(state.guess),
      delta: integer(state.delta) === 1 ? undefined : integer(state.delta),
      ...stepParams(),
    });
  }

  function stepParams(): Params {
    return { step: state.step || undefined, unit: state.unit === "leaf" ? "leaf" : undefined };
  }

  /** Returns the address of the current state. */
  function address(extra?: string): string {
    const { href, hash } = location;
    return extra ? `${href.slice(0, href.length - hash.length)}${hash}${hash.includes("?") ? "&" : "?"}${extra}=1` : href;
  }

  function setPredicting(on: boolean): void {
    endPredicting?.();
    if (on && viewer) {
      questions.replaceChildren();
      // Set before the first question is shown, so that the OPEN list does not reveal its answer.
      endPredicting = () => undefined;
      endPredicting = startPredicting(viewer, questions, () => {
        endPredicting = undefined;
        predict.setAttribute("aria-pressed", "false");
        viewer?.go(viewer.position);
      });
      predict.setAttribute("aria-pressed", "true");
    }
  }

  /** Starts another search at its first step, or at its end if the one shown has ended. */
  function restart(): void {
    state.step = viewer && viewer.position > 0 && viewer.position === viewer.last() ? Infinity : 0;
    start();
  }

  /** Runs the algorithms and shows their walks. */
  function start(): void {
    clearTimeout(timer);
    if (!catalog) return;
    checkNumbers();
    writeParams();
    void show(++run);
  }

  async function show(id: number): Promise<void> {
    const input = search(), names = [state.algorithm, ...(state.against ? [state.against] : [])];
    let walks: Walk[];
    try {
      walks = await Promise.all(names.map((name) => algorithms.walk(input, name)));
    } catch (error) {
      if (id === run && !closed) showFailure(error as Error);
      return;
    }
    if (id !== run || closed) return;
    showFailure(undefined);
    showWalks(walks);
    try {
      const rows = await algorithms.compare(input), root = state.board ? undefined : parseTree(state.tree);
      if (id === run && !closed) comparison.show(rows, state.algorithm, state.against, root && minimalLeaves(root));
    } catch (error) {
      if (id === run && !closed) showFailure(error as Error);
    }
  }

  function showFailure(error: Error | undefined): void {
    const ofTree = error instanceof RequestError && error.position !== undefined;
    treeError.textContent = ofTree ? error.message : "";
    setInvalid(tree, ofTree);
    failure.textContent = error && !ofTree ? error.message : "";
    stage.classList.toggle("stale", error !== undefined);
    comparison.setStale(error !== undefined);
  }

  function showWalks(walks: Walk[]): void {
    endPredicting?.();
    if (!viewer) {
      viewer = createViewer(stage, walks, {
        documentKeys: true,
        position: state.step,
        unit: state.unit,
        large: state.large,
        drawPosition,
        drawState,
        onStep: (position, unit) => {
          state.step = position;
          state.unit = unit;
          app.setParams(stepParams());
        },
        onSelect: showTools,
      });
    } else {
      const path = selected;
      refocus = viewer.tools.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset.testid : undefined;
      viewer.setWalks(walks, state.step);
      state.step = viewer.position;
      app.setParams(stepParams());
      if (path && !state.board) viewer.selectPath(path);
      else viewer.tools.replaceChildren();
    }
    selected = undefined;
  }

  /** Shows the controls that change the selected node of a tree text. */
  function showTools(path: Path, shown: TreeNode): void {
    const root = state.board ? undefined : parseTree(state.tree), node = root && nodeAt(root, path);
    if (!viewer) return;
    if (!root || !node) {
      viewer.tools.replaceChildren();
      return;
    }
    const edit = (next: Path) => {
      selected = next;
      history.push(state.tree);
      setTree(formatTree(root));
    };
    const buttons: HTMLElement[] = [];
    if (node.children.length === 0) {
      const value = h("input", { type: "text", inputmode: "numeric", value: node.value, "aria-label": `Value of ${shown.name}`, "data-testid": "leaf-value" });
      const message = h("p", { class: "field-error", role: "alert", "data-testid": "leaf-error" });
      buttons.push(h("form", {
        class: "learn-leaf", onsubmit: (event: Event) => {
          event.preventDefault();
          const text = value.value.trim(), valid = /^[-+]?(\d{1,6}|inf)$/i.test(text);
          message.textContent = valid ? "" : `"${text}" is not the value of a leaf; expected an integer, inf or -inf.`;
          setInvalid(value, !valid);
          if (!valid) return;
          node.value = text;
          edit(path);
        },
      }, value, h("button", { type: "submit", "data-testid": "leaf-set" }, "Set"), message));
    }
    buttons.push(h("button", {
      type: "button", "data-testid": "add-child", onclick: () => {
        node.children.push({ name: "", value: node.children.length === 0 ? node.value : "0", children: [] });
        edit([...path, node.children.length - 1]);
      },
    }, "Add child"));
    const parent = path.length > 0 ? nodeAt(root, path.slice(0, -1)) : undefined;
    if (parent) {
      buttons.push(h("button", {
        type: "button", "data-testid": "remove-node", onclick: () => {
          parent.children.splice(Number(path[path.length - 1]), 1);
          if (parent.children.length === 0) parent.value = node.value || "0";
          edit(path.slice(0, -1));
        },
      }, "Remove"));
    }
    const focused = refocus;
    refocus = undefined;
    const tools = h("div", { class: "learn-tools", role: "group", "aria-label": `Change ${shown.name}` }, ...buttons);
    viewer.tools.replaceChildren(tools);
    // Another node can have other controls.
    const same = focused === undefined ? null : tools.querySelector<HTMLElement>(`[data-testid="${focused}"]`);
    if (focused) (same ?? tools.querySelector<HTMLElement>("input, button"))?.focus({ preventScroll: true });
  }

  return {
    unmount() {
      closed = true;
      clearTimeout(timer);
      unsubscribe();
      comparison.stop();
      viewer?.destroy();
      algorithms.terminate();
    },
  };
}

function field(label: string, control: HTMLElement, id: string): HTMLElement {
  return h("div", { class: "field" }, h("label", { for: id }, label), control);
}
