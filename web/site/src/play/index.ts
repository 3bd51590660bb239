/** The view in which the user plays against the engine. */

import type { App, View } from "../app";
import { Board } from "../board";
import { makeSan } from "chessops/san";
import { chess960Fen, CHESS960_POSITIONS, INITIAL_FEN, moveOfUci, nameOf, opposite, pgnResult, spokenSan, targetOf, type Color } from "../chess";
import { formatTime } from "../clock";
import { copyText, downloadText, h, icon, setInvalid } from "../dom";
import { GameTree, type GameNode } from "../game";
import { listenKeys, MoveList, spokenMove, stepButtons, stepFrom, type Step } from "../moves";
import { Match, type SavedMatch } from "./match";

/** The game of this visit. It is paused while another view is open. */
let match: Match | undefined;
/** The latest position of the game that other views have. */
let handedOver: GameNode | undefined;
/** The copy of the game that they have. */
let handedOverGame: GameTree | undefined;

const STORAGE_KEY = "aspirant-game";

/** Keeps the game while the page is loaded again; a closed tab ends it. */
function save(): void {
  try {
    if (match) sessionStorage.setItem(STORAGE_KEY, JSON.stringify(match.save()));
    else sessionStorage.removeItem(STORAGE_KEY);
  } catch {
    // Storage may be disabled; the game then lasts as long as the page.
  }
}

function restore(app: App): Match | undefined {
  try {
    const saved = sessionStorage.getItem(STORAGE_KEY);
    return saved === null ? undefined : Match.restore(JSON.parse(saved) as SavedMatch, app.engine);
  } catch {
    return undefined;
  }
}

addEventListener("pagehide", () => match && save());

const PRESETS: [string, string][] = [
  ["1+0", "1 min"], ["3+2", "3 min + 2 s"], ["5+3", "5 min + 3 s"], ["10+5", "10 min + 5 s"], ["15+10", "15 min + 10 s"], ["custom", "Other clock"], ["none", "No clock"],
];

const ENGINE_LIMITS: Record<string, { label: string; unit: string; value: number; max: number; go: (value: number) => string }> = {
  movetime: { label: "Time per move", unit: "Seconds", value: 1, max: 3600, go: (value) => `movetime ${value * 1000}` },
  nodes: { label: "Nodes per move", unit: "Nodes", value: 100_000, max: 1_000_000_000, go: (value) => `nodes ${value}` },
  depth: { label: "Depth", unit: "Plies", value: 8, max: 100, go: (value) => `depth ${value}` },
};

/** Elo below which replies take at least a natural time. */
const NATURAL_BELOW = 2000;

export function mount(container: HTMLElement, app: App): View {
  // First, so that the engine loads while the view is built.
  app.engine.start();
  if (!match) {
    match = restore(app);
    // After a reload, the other views keep the game of the URL.
    if (match && (app.game.root.children.length > 0 || app.game.root.fen !== INITIAL_FEN)) handedOver = match.node;
  }
  let orientation: Color = match?.settings.color ?? "white";
  /** The position on the board; differs from the latest one while the user looks at earlier moves. */
  let shown: GameNode | undefined = match?.node;
  let announcedNode: GameNode | undefined = match?.node;
  let announcedResult = match?.result;

  const board = new Board((move) => match?.play(move));
  const moveList = new MoveList(goTo);

  // The game
  const clockElements = { top: clockElement("top"), bottom: clockElement("bottom") };
  const status = h("p", { class: "status", "data-testid": "play-status" });
  const resultElement = h("p", { class: "result", "data-testid": "result" });
  const takeBack = button("take-back", "Take back", () => {
    board.cancelPremove();
    match?.takeBack();
  });
  const resign = button("resign", "Resign", () => {
    if (confirm("Resign this game?")) match?.resign();
  });
  const resume = button("resume", "Resume", () => match?.resume(), "primary");
  const retry = button("retry", "Try again", () => {
    if (app.engine.state === "failed") app.engine.restart();
    match?.retry();
  }, "primary");
  const hint = button("hint", "Hint", () => match?.hint((uci) => {
    const move = match && moveOfUci(match.node.position(), uci);
    if (!match || !move) return;
    board.setArrows([{ from: move.from, to: targetOf(uci), rank: 0 }]);
    app.announce(`Hint: ${spokenSan(makeSan(match.node.position(), move))}`);
  }));
  const pause = button("pause", "Pause", () => match?.pause());
  const analyze = button("analyze-game", "Analyze", () => {
    // Another view may have replaced the game since.
    if (app.game !== handedOverGame) handedOver = undefined;
    app.navigate("analyze");
  }, "primary");
  const newGame = button("new-game", "New game", () => {
    if (match && !match.isOver && match.node.parent && !confirm("End this game without a result?")) return;
    board.cancelPremove();
    match?.abandon();
    match = undefined;
    save();
    refresh();
    startButton.focus({ preventScroll: true });
  });
  const pgn = () => {
    const game = match?.game ?? app.game;
    return game.toPgn(match?.pgnHeaders(app.engine.name, new Date()));
  };
  const copyPgn = button("play-pgn-copy", "Copy PGN", async () => {
    const copied = await copyText(pgn());
    pgnMessage.textContent = copied ? "PGN copied." : "The browser does not allow access to the clipboard; the PGN was not copied.";
  });
  const downloadPgn = button("play-pgn-download", "Download PGN", () => downloadText("aspirant.pgn", pgn(), "application/x-chess-pgn"));
  const pgnMessage = h("p", { class: "message", role: "status" });
  const gameButtons = [resume, retry, analyze, takeBack, pause, resign, hint, newGame];
  const gameCard = h("section", { class: "card moves-card", "aria-labelledby": "game-heading" },
    h("div", { class: "card-head" }, h("h2", { id: "game-heading" }, "Game")),
    resultElement,
    moveList.element,
    h("div", { class: "buttons" }, ...gameButtons),
    h("div", { class: "buttons" }, copyPgn, downloadPgn),
    pgnMessage);

  // The settings of the next game
  const color = radios("color", "Your color", [["white", "White"], ["random", "Random"], ["black", "Black"]], "white", () => {
    orientation = color.value() === "black" ? "black" : "white";
    refresh();
  });
  const time = selectField("time-control", "Time control", PRESETS, "5+3", showTime);
  const minutes = numberField("minutes", "Minutes", 10, 0.1, 1000, 0.1);
  const increment = numberField("increment", "Increment in seconds", 5, 0, 1000, 1);
  const limit = selectField("play-limit", "The engine's limit", Object.entries(ENGINE_LIMITS).map(([name, { label }]) => [name, label]), "movetime", () => {
    limitValue.input.value = String(ENGINE_LIMITS[limit.input.value]!.value);
    showTime();
  });
  const limitValue = numberField("play-limit-value", "Seconds", 1, 1, 3600, 1);
  const strength = radios("strength", "Strength", [["full", "Full"], ["elo", "Limited"]], "elo", showStrength);
  const elo = h("input", { type: "range", id: "elo", min: 400, max: 2720, step: 10, value: 1500, "data-testid": "elo", oninput: showStrength });
  const eloValue = h("output", { for: "elo", "data-testid": "elo-value" });
  const eloField = h("div", { class: "field elo-field" }, h("label", { for: "elo" }, "Elo ", eloValue), elo);
  const startPosition = selectField("start-position", "Start position",
    [["standard", "Standard"], ["current", "Position on the board"], ["random", "Chess960, random"], ["number", "Chess960, by number"]], app.params.has("fen") || app.params.has("moves") ? "current" : "standard", () => {
      showTime();
      refresh();
    });
  const number960 = numberField("play-chess960", "Number", 518, 0, CHESS960_POSITIONS - 1, 1, () => refresh());
  const setupMessage = h("p", { class: "message field-error", role: "alert", "data-testid": "setup-message" });
  const startButton = h("button", { type: "submit", class: "primary large", "data-testid": "start-game" }, "Start game");
  const setupForm = h("form", { class: "card setup-card", "aria-labelledby": "setup-heading", novalidate: true },
    h("div", { class: "card-head" }, h("h2", { id: "setup-heading" }, "New game")),
    color.element,
    strength.element, eloField,
    h("div", { class: "settings" }, time.element, minutes.element, increment.element, limit.element, limitValue.element),
    h("div", { class: "settings" }, startPosition.element, number960.element),
    setupMessage, startButton);
  setupForm.addEventListener("submit", (event) => {
    event.preventDefault();
    startMatch();
  });

  const layout = h("div", { class: "layout play" },
    h("div", { class: "board-column" },
      h("h1", { class: "visually-hidden" }, "Play"),
      clockElements.top.element,
      h("div", { class: "board-row" }, board.element),
      clockElements.bottom.element,
      h("div", { class: "board-tools" },
        stepButtons(step),
        h("button", { type: "button", class: "icon-button", "aria-label": "Flip the board", title: "Flip the board (F)", "data-testid": "flip", onclick: flip }, icon("flip")),
        board.moveForm),
      status),
    h("div", { class: "panels" }, gameCard, setupForm));
  container.append(layout);

  function button(id: string, label: string, onClick: () => void, kind = ""): HTMLButtonElement {
    return h("button", { type: "button", class: kind, "data-testid": id, onclick: onClick }, label);
  }

  function clockElement(side: string) {
    const name = h("span", { class: "player-name" });
    const value = h("span", { class: "clock", role: "timer", "data-testid": `clock-${side}` });
    return { element: h("div", { class: "player", "data-testid": `player-${side}` }, name, value), name, value };
  }

  function radios(name: string, label: string, values: [string, string][], value: string, onChange: () => void) {
    // Not a fieldset: in WebKit its height changes under the pointer, and the next click misses its target.
    const element = h("div", { role: "radiogroup", "aria-labelledby": `${name}-label` }, h("span", { class: "legend", id: `${name}-label` }, label),
      h("div", { class: "segments" }, ...values.map(([id, text]) =>
        h("label", {}, h("input", { type: "radio", name, value: id, checked: id === value, "data-testid": `${name}-${id}`, onchange: onChange }), h("span", {}, text)))));
    return { element, value: () => element.querySelector<HTMLInputElement>("input:checked")?.value ?? value };
  }

  function selectField(id: string, label: string, values: [string, string][], value: string, onChange: () => void) {
    const input = h("select", { id, "data-testid": id, onchange: onChange }, ...values.map(([name, text]) => h("option", { value: name, selected: name === value }, text)));
    return { input, element: h("div", { class: "field" }, h("label", { for: id }, label), input) };
  }

  function numberField(id: string, label: string, value: number, min: number, max: number, step: number, onChange?: () => void) {
    const input = h("input", { type: "number", id, min, max, step, value, inputmode: Number.isInteger(step) ? "numeric" : "decimal", "data-testid": id, onchange: onChange });
    const text = h("label", { for: id }, label);
    return { input, label: text, element: h("div", { class: "field" }, text, input) };
  }

  /** Returns the number in a field; throws an error for users if it is out of range. */
  function numberOf(field: { input: HTMLInputElement; label: HTMLElement }, min: number, max: number): number {
    const number = field.input.value.trim() === "" ? NaN : Number(field.input.value);
    const valid = Number.isFinite(number) && number >= min && number <= max;
    setInvalid(field.input, !valid);
    if (!valid) throw new Error(`${field.label.textContent} "${field.input.value}"; expected a number from ${min} to ${max}. The game was not started.`);
    return number;
  }

  function showTime(): void {
    const kind = time.input.value;
    minutes.element.hidden = increment.element.hidden = kind !== "custom";
    limit.element.hidden = limitValue.element.hidden = kind !== "none";
    limitValue.label.textContent = ENGINE_LIMITS[limit.input.value]!.unit;
    number960.element.hidden = startPosition.input.value !== "number";
  }

  function showStrength(): void {
    const option = app.engine.options.get("UCI_Elo");
    if (option?.min !== undefined && option.max !== undefined) {
      const value = Number(elo.value);
      elo.min = String(option.min);
      elo.max = String(option.max);
      elo.value = String(Math.min(option.max, Math.max(option.min, value)));
    }
    const available = option !== undefined || app.engine.state !== "ready";
    strength.element.hidden = !available;
    eloField.hidden = !available || strength.value() !== "elo";
    eloValue.textContent = elo.value;
  }

  function startFen(): string {
    switch (startPosition.input.value) {
      case "current":
        return app.fen;
      case "random":
        return chess960Fen(Math.floor(Math.random() * CHESS960_POSITIONS));
      case "number":
        return chess960Fen(Math.round(numberOf(number960, 0, CHESS960_POSITIONS - 1)));
      default:
        return INITIAL_FEN;
    }
  }

  function startMatch(): void {
    setupMessage.textContent = "";
    try {
      const kind = time.input.value;
      let clock: { base: number; increment: number } | undefined;
      if (kind === "custom") {
        clock = { base: Math.round(numberOf(minutes, 0.1, 1000) * 60_000), increment: Math.round(numberOf(increment, 0, 1000) * 1000) };
      } else if (kind !== "none") {
        const [base = 5, extra = 0] = kind.split("+").map(Number);
        clock = { base: base * 60_000, increment: extra * 1000 };
      }
      const engineLimit = ENGINE_LIMITS[limit.input.value]!;
      const go = engineLimit.go(kind === "none" ? Math.round(numberOf(limitValue, 1, engineLimit.max)) : engineLimit.value);
      const chosen = color.value();
      const side: Color = chosen === "random" ? (Math.random() < 0.5 ? "white" : "black") : (chosen as Color);
      const limited = strength.value() === "elo" && (app.engine.state !== "ready" || app.engine.options.has("UCI_Elo"));
      const next = new Match({ fen: startFen(), color: side, clock, go, elo: limited ? Number(elo.value) : undefined, natural: limited && Number(elo.value) < NATURAL_BELOW }, app.engine, () => onMatch(next));
      match = next;
      orientation = side;
      shown = next.node;
      announcedNode = undefined;
      announcedResult = undefined;
      next.start();
      app.announce(`The game has started. You play ${nameOf(side)}.`);
      clockElements.top.element.scrollIntoView({ block: "nearest" });
      // The button that had the focus is hidden now.
      board.element.focus({ preventScroll: true });
    } catch (error) {
      setupMessage.textContent = (error as Error).message;
    }
  }

  /** Shows a change of the game. */
  function onMatch(changed: Match): void {
    if (changed !== match) return;
    save();
    shown = match.node;
    refresh();
    if (match.isUserTurn) board.playPremove();
    if (match.isOver) board.cancelPremove();
    if (match !== changed) return;
    const texts: string[] = [];
    if (match.node !== announcedNode && match.node.parent) texts.push(spokenMove(match.node));
    if (match.result && match.result !== announcedResult) texts.push(match.result.text);
    announcedNode = match.node;
    announcedResult = match.result;
    if (texts.length > 0) app.announce(texts.join(". "));
    if (match.failure) app.showError(match.failure);
  }

  function refresh(): void {
    const playing = match !== undefined;
    const focused = gameButtons.find((element) => element === document.activeElement);
    gameCard.hidden = !playing;
    setupForm.hidden = playing;
    layout.classList.toggle("playing", playing);
    if (match) {
      const live = shown === match.node;
      const node = shown ?? match.node;
      board.show({
        node, chess960: match.game.chess960, orientation,
        movable: live && !match.isOver && !match.paused ? match.settings.color : undefined,
        premove: live && !match.isUserTurn,
      });
      moveList.render(match.game, node);
      const waits = !match.isOver && !match.paused && !match.failure;
      resultElement.hidden = !match.result;
      resultElement.textContent = match.result ? `${pgnResult(match.result).replace("1/2-1/2", "½–½")} · ${match.result.text}` : "";
      takeBack.disabled = !match.canTakeBack || match.paused;
      resign.hidden = pause.hidden = match.isOver || match.paused;
      hint.hidden = !match.isUserTurn;
      board.setArrows([]);
      resume.hidden = !match.paused;
      retry.hidden = !match.failure || match.paused;
      analyze.hidden = !match.isOver;
      const isUsable = (element: HTMLButtonElement) => !element.hidden && !element.disabled;
      if (focused && !isUsable(focused)) gameButtons.find(isUsable)?.focus({ preventScroll: true });
      status.textContent = match.result?.text
        ?? (match.paused ? "Paused" : match.failure ? "The engine failed. \"Try again\" repeats the search." : match.isUserTurn
          ? `Your move${match.node.position().isCheck() ? ": check" : ""}`
          : app.engine.state === "loading" ? "The engine is loading…" : "The engine is searching…");
      if (!live && waits) status.textContent += " (an earlier position is shown)";
    } else {
      let fen = app.fen;
      try {
        if (startPosition.input.value !== "current") fen = startPosition.input.value === "number" ? startFen() : INITIAL_FEN;
      } catch {
        fen = INITIAL_FEN;
      }
      const preview = new GameTree(fen);
      board.show({ node: preview.root, chess960: preview.chess960, orientation });
      status.textContent = "Choose the settings and start the game.";
    }
    showClocks();
  }

  function showClocks(): void {
    const bottom = orientation;
    const sides = [[clockElements.top, opposite(bottom)], [clockElements.bottom, bottom]] as const;
    for (const [{ element, name, value }, side] of sides) {
      element.hidden = !match;
      if (!match) continue;
      const isUser = side === match.settings.color;
      const { elo: limited } = match.settings;
      name.textContent = `${nameOf(side)}: ${isUser ? "you" : `Aspirant${limited === undefined ? "" : `, Elo ${limited}`}`}`;
      const { clock } = match;
      value.hidden = !clock;
      const text = clock ? formatTime(clock.remaining(side)) : "";
      if (value.textContent !== text) value.textContent = text;
      element.classList.toggle("active", !match.isOver && !match.paused && match.turn === side);
      element.classList.toggle("low", clock !== undefined && clock.remaining(side) < 20_000);
    }
  }

  function goTo(node: GameNode): void {
    if (!match || node === shown) return;
    shown = node;
    refresh();
    app.announce(spokenMove(node));
  }

  function step(to: Step): void {
    if (match && shown) goTo(stepFrom(shown, to));
  }

  function flip(): void {
    orientation = opposite(orientation);
    refresh();
  }

  const timer = setInterval(() => {
    match?.tick();
    if (match) showClocks();
  }, 100);

  const unsubscribe = [
    app.engine.onState(() => {
      showStrength();
      refresh();
      if (app.engine.state === "failed" && !match) app.showError(app.engine.failure);
    }),
    listenKeys(step, (key) => {
      if (key === "f" || key === "F") flip();
      else return false;
      return true;
    }),
  ];

  showTime();
  showStrength();
  // The game of an earlier visit of this view reports to this one from now on.
  if (match) match.onChange = () => match && onMatch(match);
  refresh();
  if (app.engine.state === "failed") app.showError(app.engine.failure);

  return {
    unmount() {
      clearInterval(timer);
      for (const end of unsubscribe) end();
      if (match) {
        match.onChange = () => undefined;
        match.pause();
        if (handedOver !== match.node) {
          handedOver = match.node;
          // A copy: the analysis adds and removes moves.
          const copy = new GameTree(match.game.root.fen);
          copy.playUci(match.game.moves());
          copy.headers = new Map(Object.entries(match.pgnHeaders(app.engine.name, new Date())));
          app.setGame(copy);
          handedOverGame = copy;
        }
      }
      board.destroy();
    },
  };
}
