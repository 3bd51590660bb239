/** The view that analyzes a position. */

import type { App, View } from "../app";
import { Board, Preview, type Arrow } from "../board";
import { chess960Fen, CHESS960_POSITIONS, INITIAL_FEN, moveOfUci, nameOf, opposite, parseChess960Number, type Color, type Move } from "../chess";
import { copyText, downloadText, h, icon } from "../dom";
import { EvaluationBar } from "../evaluation-bar";
import { GameTree, type GameNode } from "../game";
import { listenKeys, MoveList, spokenMove, stepButtons, stepFrom, type Step } from "../moves";
import { formatCount, formatScore, whiteScore, type Info } from "../uci";
import { openEditor, type Editor } from "./editor";
import { lineMoves, Lines, type LineMove } from "./lines";
import { loadSettings, loadSwitch, saveSettings, saveSwitch, type Limit } from "./settings";

const LIMITS: Record<Limit, { label: string; unit: string; value: number; max: number }> = {
  infinite: { label: "Until stopped", unit: "", value: 0, max: 0 },
  depth: { label: "Depth", unit: "plies", value: 20, max: 200 },
  movetime: { label: "Time", unit: "seconds", value: 10, max: 86_400 },
  nodes: { label: "Nodes", unit: "thousands", value: 5000, max: 1_000_000_000 },
};

const HASH_SIZES = [16, 32, 64, 128, 256, 512];

/** Shortest time between two updates of the output, in milliseconds. */
const RENDER_INTERVAL = 100;

export function mount(container: HTMLElement, app: App): View {
  // First, so that the engine loads while the view is built.
  app.engine.start();
  const settings = loadSettings();
  let orientation: Color = "white";
  /** Whether the analysis is on; it stays on when a search reaches its limit, and analyzes the next position. */
  let running = loadSwitch();
  /** Whether the search of the position has ended. */
  let done = false;
  /** Latest output for each variation. */
  let infos: (Info | undefined)[] = [];
  /** Latest line with nodes and time. */
  let latest: Info = { multipv: 1 };
  let rendered = -Infinity;
  let renderTimer: ReturnType<typeof setTimeout> | undefined;
  let searchedGame: GameTree | undefined;
  /** Structure of the move list; unchanged as long as no move is added or removed. */
  let renderedGame: GameTree | undefined;
  let renderedSize = -1;
  let editor: Editor | undefined;

  const board = new Board(playMove);
  const bar = new EvaluationBar();
  const preview = new Preview(document.body);
  const moveList = new MoveList(goTo);
  const lines = new Lines(playLine, (anchor, move) => {
    if (anchor && move) preview.show(anchor, move.fen, move.squares, move.check, orientation);
    else preview.hide();
  });

  // Engine
  const toggle = h("button", { type: "button", class: "primary", "data-testid": "engine-toggle", onclick: () => (running ? stop() : start()) });
  const engineState = h("p", { class: "engine-state", "data-testid": "engine-state" });
  const engineMessage = h("p", { class: "message", role: "status", "data-testid": "engine-message" });
  const stat = (name: string, label: string, title: string) => {
    const value = h("dd", { "data-testid": `stat-${name}` }, "–");
    return { value, element: h("div", { title }, h("dt", {}, label), value) };
  };
  const stats = {
    depth: stat("depth", "Depth", "Depth and selective depth in plies"),
    nodes: stat("nodes", "Nodes", "Positions searched"),
    nps: stat("nps", "Nodes/s", "Positions searched per second"),
    hash: stat("hash", "Hash", "Part of the transposition table in use"),
    time: stat("time", "Time", "Time since the start of the search"),
    wdl: stat("wdl", "W / D / L", "Win, draw and loss for White in percent"),
  };
  const multiPv = select("multipv", "Variations", [1, 2, 3, 4, 5].map((count) => [String(count), String(count)]), String(settings.multiPv), (value) => {
    settings.multiPv = Number(value);
    changed();
    if (!running) restart();
  });
  const hash = select("hash", "Hash", HASH_SIZES.map((size) => [String(size), `${size} MB`]), String(settings.hash), (value) => {
    settings.hash = Number(value);
    changed();
  });
  const limit = select("limit", "Limit", Object.entries(LIMITS).map(([name, { label }]) => [name, label]), settings.limit, (value) => {
    settings.limit = value as Limit;
    settings.limitValue = LIMITS[settings.limit].value;
    showLimit();
    changed();
  });
  const limitInput = h("input", {
    type: "number", id: "limit-value", min: 1, step: 1, inputmode: "numeric", "data-testid": "limit-value",
    onchange: () => {
      const { max, value } = LIMITS[settings.limit];
      const number = Math.round(Number(limitInput.value));
      if (number >= 1 && number <= max) {
        settings.limitValue = number;
      } else {
        app.showError(`Limit "${limitInput.value}"; expected a number from 1 to ${max}. The limit is now ${value}.`);
        settings.limitValue = value;
        showLimit();
        saveSettings(settings);
        return;
      }
      showLimit();
      changed();
    },
  });
  const limitField = h("div", { class: "field" }, h("label", { for: "limit-value" }), limitInput);

  // Position
  const fenInput = h("input", { type: "text", id: "fen", class: "mono", spellcheck: "false", autocomplete: "off", "aria-describedby": "fen-message", "data-testid": "fen-input" });
  const fenMessage = message("fen-message");
  const fenForm = h("form", { class: "stack" },
    h("label", { for: "fen" }, "FEN"),
    fenInput,
    h("div", { class: "buttons" },
      h("button", { type: "submit", "data-testid": "fen-load" }, "Load FEN"),
      h("button", { type: "button", "data-testid": "fen-copy", onclick: () => copy(app.fen, fenMessage, "FEN") }, "Copy FEN"),
      h("button", { type: "button", "data-testid": "reset", onclick: () => load(() => new GameTree(INITIAL_FEN), fenMessage, "Start position.") }, "Reset"),
    ),
    fenMessage);
  fenForm.addEventListener("submit", (event) => {
    event.preventDefault();
    load(() => new GameTree(fenInput.value), fenMessage, "Position loaded.", fenInput);
  });

  const number960 = h("input", {
    type: "number", id: "chess960", min: 0, max: CHESS960_POSITIONS - 1, step: 1, inputmode: "numeric", placeholder: "0–959", "data-testid": "chess960-number",
  });
  const message960 = message("chess960-message");
  const load960 = (number: string) => load(() => new GameTree(chess960Fen(parseChess960Number(number))), message960, `Chess960 position ${number}.`, number960);
  const form960 = h("form", { class: "stack", novalidate: true },
    h("label", { for: "chess960" }, "Chess960 start position"),
    h("div", { class: "buttons" },
      number960,
      h("button", { type: "submit", "data-testid": "chess960-set" }, "Set"),
      h("button", {
        type: "button", "data-testid": "chess960-random",
        onclick: () => {
          number960.value = String(Math.floor(Math.random() * CHESS960_POSITIONS));
          load960(number960.value);
        },
      }, "Random"),
    ),
    message960);
  form960.addEventListener("submit", (event) => {
    event.preventDefault();
    load960(number960.value);
  });

  const pgnArea = h("textarea", { id: "pgn", class: "mono", rows: 5, spellcheck: "false", placeholder: "1. e4 e5 2. Nf3 …", "aria-describedby": "pgn-message", "data-testid": "pgn-input" });
  const pgnMessage = message("pgn-message");
  let pgnText = "";
  const pgnGame = h("select", { id: "pgn-game", "data-testid": "pgn-game", onchange: () => loadPgn(pgnText, Number(pgnGame.value)) });
  const pgnGames = h("div", { class: "field", hidden: true }, h("label", { for: "pgn-game" }, "Game"), pgnGame);
  const pgnFile = h("input", {
    type: "file", accept: ".pgn,.txt,application/x-chess-pgn", class: "visually-hidden", id: "pgn-file", "data-testid": "pgn-file",
    onchange: () => void pgnFile.files?.[0]?.text().then((text) => {
      pgnArea.value = text.slice(0, 100_000);
      pgnFile.value = "";
      loadPgn(text);
    }).catch((error: Error) => {
      pgnFile.value = "";
      show(pgnMessage, `The file could not be read: ${error.message}`, true);
    }),
  });
  const pgnForm = h("form", { class: "stack" },
    h("label", { for: "pgn" }, "PGN"),
    pgnArea, pgnGames,
    h("div", { class: "buttons" },
      h("button", { type: "submit", "data-testid": "pgn-load" }, "Load PGN"),
      h("label", { class: "button", for: "pgn-file" }, "Open file"), pgnFile,
      h("button", { type: "button", "data-testid": "pgn-copy", onclick: () => copy(app.game.toPgn(), pgnMessage, "PGN") }, "Copy PGN"),
      h("button", { type: "button", "data-testid": "pgn-download", onclick: () => downloadText("aspirant.pgn", app.game.toPgn(), "application/x-chess-pgn") }, "Download"),
    ),
    pgnMessage);
  pgnForm.addEventListener("submit", (event) => {
    event.preventDefault();
    loadPgn(pgnArea.value);
  });

  // Moves
  const removeButton = h("button", { type: "button", "data-testid": "move-delete", onclick: () => change((game) => game.remove(game.current)) }, "Delete from here");
  const promoteButton = h("button", { type: "button", "data-testid": "move-promote", onclick: () => change((game) => game.promote(game.current)) }, "Make main line");
  const gameTitle = h("p", { class: "message", "data-testid": "game-title" });
  const status = h("p", { class: "status", "data-testid": "position-status" });

  const layout = h("div", { class: "layout analyze" },
    h("div", { class: "board-column" },
      h("h1", { class: "visually-hidden" }, "Analyze"),
      h("div", { class: "board-row" }, bar.element, board.element),
      h("div", { class: "board-tools" },
        stepButtons(step),
        h("button", { type: "button", class: "icon-button", "aria-label": "Flip the board", title: "Flip the board (F)", "data-testid": "flip", onclick: flip }, icon("flip")),
        h("button", { type: "button", class: "icon-button", "aria-label": "Edit the position", title: "Edit the position", "data-testid": "edit-position", onclick: edit }, icon("edit")),
        board.moveForm,
      ),
      status,
    ),
    h("div", { class: "panels" },
      h("section", { class: "card engine-card", "aria-labelledby": "engine-heading" },
        h("div", { class: "card-head" }, h("h2", { id: "engine-heading" }, "Engine"), engineState, toggle),
        lines.element,
        h("dl", { class: "stats" }, ...Object.values(stats).map(({ element }) => element)),
        engineMessage,
        h("div", { class: "settings" }, multiPv, limit, limitField, hash),
        h("div", { class: "buttons" }, h("button", { type: "button", class: "wrap", "data-testid": "show-search", onclick: () => app.navigate("learn", { source: "board", fen: app.fen, depth: 2 }) }, "Show how this position is searched")),
      ),
      h("section", { class: "card moves-card", "aria-labelledby": "moves-heading" },
        h("div", { class: "card-head" }, h("h2", { id: "moves-heading" }, "Moves")),
        gameTitle, moveList.element,
        h("div", { class: "buttons" }, removeButton, promoteButton),
      ),
      h("section", { class: "card position-card", "aria-labelledby": "position-heading" },
        h("div", { class: "card-head" }, h("h2", { id: "position-heading" }, "Position and game")),
        fenForm, pgnForm, form960,
      ),
    ));
  container.append(layout);

  function message(id: string): HTMLElement {
    return h("p", { id, class: "message", role: "status", "data-testid": id });
  }

  function select(id: string, label: string, values: [string, string][], value: string, onChange: (value: string) => void): HTMLElement {
    const element = h("select", { id, "data-testid": id, onchange: () => onChange(element.value) },
      ...values.map(([name, text]) => h("option", { value: name, selected: name === value }, text)));
    return h("div", { class: "field" }, h("label", { for: id }, label), element);
  }

  function show(target: HTMLElement, text: string, isError = false): void {
    target.textContent = text;
    target.classList.toggle("field-error", isError);
  }

  async function copy(text: string, target: HTMLElement, what: string): Promise<void> {
    const copied = await copyText(text);
    show(target, copied ? `${what} copied.` : `The browser does not allow access to the clipboard; the ${what} was not copied.`, !copied);
  }

  /** Loads a game, or shows why that failed. */
  function load(create: () => GameTree, target: HTMLElement, success: string, field?: HTMLElement): void {
    clearMessages();
    try {
      app.setGame(create());
      show(target, success);
    } catch (error) {
      show(target, (error as Error).message, true);
      field?.setAttribute("aria-invalid", "true");
    }
  }

  function clearMessages(): void {
    for (const message of [fenMessage, pgnMessage, message960]) show(message, "");
    for (const field of [fenInput, pgnArea, number960]) field.removeAttribute("aria-invalid");
  }

  /** Loads a game of a PGN; the others can be chosen. */
  function loadPgn(text: string, index = 0): void {
    let success = "";
    load(() => {
      const { game, titles, count } = GameTree.fromPgn(text, index);
      game.current = game.root.end();
      pgnGames.hidden = titles.length < 2;
      pgnGame.replaceChildren(...titles.map((title, at) => h("option", { value: at, selected: at === index }, `${at + 1}. ${title}`)));
      pgnText = text;
      success = count > 1 ? `Game ${index + 1} of ${count} was loaded.` : "Game loaded.";
      return game;
    }, pgnMessage, "", pgnArea);
    if (success !== "") show(pgnMessage, success);
  }

  function playMove(move: Move): void {
    app.game.play(move);
    app.positionChanged();
  }

  function playLine(moves: readonly LineMove[]): void {
    app.game.playUci(moves.map(({ uci }) => uci));
    app.positionChanged();
  }

  function goTo(node: GameNode): void {
    if (node === app.game.current) return;
    app.game.current = node;
    app.positionChanged();
  }

  function step(to: Step): void {
    if (!editor) goTo(stepFrom(app.game.current, to));
  }

  function change(apply: (game: GameTree) => void): void {
    apply(app.game);
    renderedSize = -1;
    app.positionChanged();
  }

  /** Opens the board editor. */
  function edit(): void {
    const panels = layout.querySelector<HTMLElement>(".panels")!;
    editor = openEditor(board.element, panels, app.fen, orientation, (fen) => {
      if (fen === undefined) return closeEditor();
      try {
        // A change of the position closes the editor.
        app.setGame(new GameTree(fen));
      } catch (error) {
        editor?.fail((error as Error).message);
      }
    });
    layout.classList.add("editing");
  }

  function closeEditor(): void {
    if (!editor) return;
    editor.close();
    editor = undefined;
    layout.classList.remove("editing");
    layout.querySelector<HTMLElement>('[data-testid="edit-position"]')?.focus({ preventScroll: true });
  }

  function flip(): void {
    orientation = opposite(orientation);
    bar.setOrientation(orientation);
    showBoard();
  }

  function showBoard(): void {
    board.show({ node: app.game.current, chess960: app.game.chess960, orientation, movable: "both" });
  }

  function size(node: GameNode): number {
    let count = 0;
    const pending = [node];
    for (let next = pending.pop(); next; next = pending.pop()) {
      count++;
      pending.push(...next.children);
    }
    return count;
  }

  function showPosition(): void {
    const { game } = app;
    const node = game.current;
    preview.hide();
    showBoard();
    const count = size(game.root);
    if (renderedGame !== game || renderedSize !== count) {
      renderedGame = game;
      renderedSize = count;
      moveList.render(game);
    } else {
      moveList.select(node);
    }
    fenInput.value = node.fen;
    clearMessages();
    gameTitle.textContent = game.title();
    removeButton.disabled = !node.parent;
    promoteButton.disabled = node.path().every((step) => !step.parent || step.parent.children[0] === step);
    const result = game.result();
    const chess = node.position();
    status.textContent = result?.text ?? `${nameOf(chess.turn)} to move${chess.isCheck() ? " (check)" : ""}`;
    app.setParams(game.urlParams());
  }

  function onPosition(): void {
    closeEditor();
    showPosition();
    const result = app.game.result();
    app.announce(spokenMove(app.game.current) + (result ? `. ${result.text}` : ""));
    restart();
  }

  /** Searches the current position if the engine is on. */
  function restart(): void {
    clearTimeout(renderTimer);
    renderTimer = undefined;
    infos = [];
    done = false;
    latest = { multipv: 1 };
    engineMessage.textContent = "";
    const chess = app.game.current.position();
    const over = !chess.hasDests();
    lines.reset(over ? 0 : settings.multiPv);
    board.setArrows([]);
    if (over) bar.showResult(app.game.result()?.winner);
    else bar.clear();
    render();
    if (!running || over) {
      app.engine.cancel();
      showEngine();
      return;
    }
    const newGame = searchedGame !== app.game;
    searchedGame = app.game;
    app.engine.search({
      ...app.game.searchPosition(),
      go: goText,
      newGame,
      options: {
        Hash: settings.hash, MultiPV: settings.multiPv, UCI_Chess960: app.game.chess960, UCI_ShowWDL: true,
        UCI_AnalyseMode: true, UCI_LimitStrength: false,
      },
      onInfo,
      onBestmove: () => {
        done = true;
        showEngine();
        render();
        const best = infos[0];
        if (best?.score && latest.depth) {
          const score = formatScore(whiteScore(best.score, chess.turn));
          app.announce(`Analysis ended at depth ${latest.depth}, evaluation ${score}.`);
        }
      },
      onError: (text) => {
        setRunning(false);
        showEngine();
        app.showError(text);
      },
    });
    showEngine();
  }

  function goText(): string {
    switch (settings.limit) {
      case "infinite":
        return "infinite";
      case "depth":
        return `depth ${settings.limitValue}`;
      case "movetime":
        return `movetime ${settings.limitValue * 1000}`;
      case "nodes":
        return `nodes ${settings.limitValue * 1000}`;
    }
  }

  function onInfo(info: Info): void {
    if (info.string !== undefined) engineMessage.textContent = info.string;
    if (info.pv && info.score) infos[info.multipv - 1] = info;
    if (info.nodes !== undefined || info.depth !== undefined) latest = { ...latest, ...info };
    renderTimer ??= setTimeout(render, rendered + RENDER_INTERVAL - performance.now());
  }

  function render(): void {
    renderTimer = undefined;
    if (infos.length > 0) rendered = performance.now();
    const chess = app.game.current.position();
    const arrows: Arrow[] = [];
    for (const [index, info] of infos.entries()) {
      if (!info || index >= settings.multiPv) continue;
      lines.show(index, info, lineMoves(chess, info.pv ?? [], app.game.chess960), chess.turn);
      const move = moveOfUci(chess, info.pv?.[0] ?? "");
      if (!move) continue;
      const [from, to] = lineMoves(chess, [info.pv?.[0] ?? ""], app.game.chess960)[0]?.squares ?? [move.from, move.to];
      if (!arrows.some((arrow) => arrow.from === from && arrow.to === to)) arrows.push({ from, to, rank: index });
    }
    if (infos.length > 0) board.setArrows(arrows);
    const best = infos[0];
    if (best) bar.show(best, chess.turn);
    const put = (name: keyof typeof stats, text: string | undefined) => {
      stats[name].value.textContent = text ?? "–";
    };
    put("depth", latest.depth !== undefined ? `${latest.depth}${latest.seldepth !== undefined ? ` / ${latest.seldepth}` : ""}` : undefined);
    put("nodes", latest.nodes !== undefined ? formatCount(latest.nodes) : undefined);
    put("nps", latest.nps !== undefined ? formatCount(latest.nps) : undefined);
    put("hash", latest.hashfull !== undefined ? `${(latest.hashfull / 10).toFixed(0)} %` : undefined);
    put("time", latest.time !== undefined ? `${(latest.time / 1000).toFixed(1)} s` : undefined);
    let wdl = best?.wdl;
    if (wdl && chess.turn === "black") wdl = [wdl[2], wdl[1], wdl[0]];
    put("wdl", wdl?.map((permille) => Math.round(permille / 10)).join(" / "));
  }

  function start(): void {
    if (app.engine.state === "failed") app.engine.restart();
    app.clearError();
    setRunning(true);
    restart();
    showEngine();
  }

  function setRunning(on: boolean): void {
    running = on;
    saveSwitch(on);
  }

  function stop(): void {
    setRunning(false);
    app.engine.stop();
    showEngine();
  }

  /** Applies changed settings. */
  function changed(): void {
    saveSettings(settings);
    app.clearError();
    if (running) restart();
  }

  function showLimit(): void {
    const { unit } = LIMITS[settings.limit];
    limitField.hidden = settings.limit === "infinite";
    limitField.querySelector("label")!.textContent = unit.charAt(0).toUpperCase() + unit.slice(1);
    limitInput.value = String(settings.limitValue);
  }

  function showEngine(): void {
    const { state, name } = app.engine;
    toggle.replaceChildren(icon(running ? "stop" : "start"), running ? "Stop" : "Start");
    layout.classList.toggle("running", running);
    const searching = running && app.game.current.position().hasDests();
    engineState.textContent =
      state === "loading" ? "Loading…" : state === "failed" ? "Not available" : searching && done ? `Done: depth ${latest.depth ?? 0}` : searching ? "Searching" : state === "ready" ? name : "";
    engineState.dataset.state = searching && !done && state === "ready" ? "searching" : state;
    for (const option of hash.querySelectorAll("option")) {
      option.disabled = Number(option.value) > (app.engine.options.get("Hash")?.max ?? Infinity);
    }
  }

  const unsubscribe = [
    app.onPosition(onPosition),
    app.engine.onState(() => {
      showEngine();
      if (app.engine.state === "failed" && !running) app.showError(app.engine.failure);
    }),
    listenKeys(step, (key) => {
      if (editor || (key !== "f" && key !== "F")) return false;
      flip();
      return true;
    }),
  ];

  showLimit();
  showPosition();
  restart();
  showEngine();
  if (app.engine.state === "failed") app.showError(app.engine.failure);

  return {
    unmount() {
      for (const end of unsubscribe) end();
      clearTimeout(renderTimer);
      app.engine.cancel();
      editor?.close();
      preview.destroy();
      board.destroy();
    },
  };
}
