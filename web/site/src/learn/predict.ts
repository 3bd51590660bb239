/** The mode that stops before each decision of a search and asks what happens next. */

import { Replay, type Viewer } from "../../../../game-tree/src/drawing/viewer.js";
import { h } from "../dom";
import { inSearchOrder } from "./pseudocode";
import { OpenList } from "./state";

export { Replay };

export interface Question {
  text: string;
  /** Answers to choose from; without them, a number is asked for. */
  choices?: string[];
  right: string;
  /** Why, after the next step. */
  explain: (after: Replay) => string;
}

/** Returns the question that the next step of a walk answers, if there is one. */
export function questionAt(replay: Replay): Question | undefined {
  const { steps, now, nodes, state, data } = replay, last = steps[now - 1], next = steps[now];
  if (!last) return undefined;
  const name = (node: number) => nodes[node]!.name;
  if (data.best_first) {
    if (next?.t !== "open") return undefined;
    const states = new OpenList(replay).follow().sorted().slice(0, 4).map(({ node }) => name(node));
    if (states.length < 2) return undefined;
    return {
      text: "Which state of OPEN is taken next?", choices: [...states].sort(), right: name(next.n),
      explain: () => `${name(next.n)} has the ${data.algorithm === "dual*" ? "lowest" : "highest"} merit, ${replay.num(next.v ?? 0)}; among equals, the leftmost state is taken.`,
    };
  }
  const isResult = (t: string) => t === "leaf" || t === "leave" || t === "hit";
  if (last.n === 0 && isResult(last.t) && data.algorithm.startsWith("mtd")) {
    const [low, high] = replay.bounds, stops = "nothing: the search stops";
    const right = next ? `γ = ${replay.num(steps[now + 1]?.b ?? 0)}` : stops;
    const choices = new Set([right, `γ = ${replay.num(low + 1)}`, `γ = ${replay.num(high)}`, `γ = ${replay.num(low)}`, stops]);
    return {
      text: `The pass ends with f⁻ = ${replay.num(low)} and f⁺ = ${replay.num(high)}. What does the next pass test?`,
      choices: [...choices].filter((choice) => !choice.includes("∞")).sort(), right,
      explain: (after) => (next ? after.why() : "f⁻ and f⁺ are equal: that is the value."),
    };
  }
  // The child whose search has just ended, and its parent.
  const child = last.t === "tentative" ? steps[now - 2]?.n : last.n;
  const parent = child === undefined ? null : nodes[child]!.parent;
  if (child === undefined || parent === null || next === undefined) return undefined;
  const old = state[parent]!.tent;
  if (isResult(last.t) && next.n === parent && next.t === "tentative" && old === null) return undefined;
  if (isResult(last.t) && (old !== null || next.t === "tentative") && replay.data.algorithm !== "scout") {
    // A bound cannot improve the value of its parent; asking for it would be a riddle.
    const improves = next.t === "tentative" && next.n === parent;
    if (improves || (last.t === "leaf" && next.t !== "again")) {
      return {
        text: `${name(child)} is worth ${replay.num(last.v ?? 0)}. What is the value of ${name(parent)} (${replay.kind(parent)}) so far?`,
        right: replay.num(improves ? next.v ?? 0 : old ?? 0),
        explain: () => replay.whyLeaf(child) || `${name(parent)} takes the ${replay.isMax(parent) ? "largest" : "smallest"} value of its children.`,
      };
    }
  }
  // Whether the search goes on below the parent.
  const entered = new Set<number>();
  for (let at = now - 1; at >= 0 && !(steps[at]!.t === "enter" && steps[at]!.n === parent); at--) if (steps[at]!.t === "enter") entered.add(steps[at]!.n);
  const rest = inSearchOrder(replay, parent).filter((node) => !entered.has(node)).map((node) => nodes[node]!.label);
  if (rest.length === 0 || !data.windows || !(isResult(last.t) || last.t === "tentative") || (next.t === "tentative" && next.n === parent)) return undefined;
  const cut = `Cut off: ${rest.join(", ")}`, search = `Search ${rest[0]}`, again = `Search ${nodes[child]!.label} again`;
  const tests = ["scout", "pvs", "negascout", "aspiration negascout"].includes(data.algorithm);
  const { win, tent } = state[parent]!;
  return {
    text: `${name(parent)} (${replay.kind(parent)}) has ${tent === null ? "no value yet" : replay.num(tent)}; its window is ${win ? replay.window(win) : "open"}. What happens next?`,
    choices: tests ? [search, again, cut] : [search, cut],
    right: next.t === "cut" && next.n === parent ? cut : next.t === "again" ? again : search,
    explain: (after) => next.t === "cut" || next.t === "again" ? after.why()
      : `The value of ${name(parent)} is ${tent === null ? "not known" : "inside the window"}, so its other children can still matter.`,
  };
}

/** Shows the questions in `host`. Returns a function that ends the mode. */
export function startPredicting(viewer: Viewer, host: HTMLElement, onEnd: () => void): () => void {
  let asked = 0, correct = 0;
  const panel = () => viewer.panels[0]!;
  const score = h("span", { class: "predict-score", "data-testid": "predict-score" });
  const leave = h("button", { type: "button", "data-testid": "predict-leave", onclick: () => end() }, "Leave");
  const body = h("div", { class: "predict-body", "aria-live": "polite" });
  const card = h("section", { class: "predict", "aria-label": "Predict", "data-testid": "predict" }, body, score, leave);
  host.append(card);
  viewer.play(false);
  viewer.setUnit("event");
  if (panel().replay.ended) viewer.go(0);
  // On a phone, the button is below the drawing, and the question above it.
  card.scrollIntoView({ block: "nearest" });

  function end(): void {
    card.remove();
    onEnd();
  }

  /** Steps forward to the next question. */
  function ask(): void {
    const probe = new Replay(panel().data);
    for (let at = panel().replay.now; at <= probe.steps.length; at++) {
      probe.to(at);
      const question = questionAt(probe);
      if (!question) continue;
      viewer.go(at);
      show(question);
      return;
    }
    viewer.go(probe.steps.length);
    body.replaceChildren(h("p", {}, `The search has ended. ${asked === 0 ? "" : `${correct} of ${asked} answers were right.`}`));
  }

  function show(question: Question): void {
    const text = h("p", { "data-testid": "predict-question" }, question.text);
    const answer = (given: string) => {
      asked++;
      const isRight = given.trim().replace("−", "-") === question.right;
      if (isRight) correct++;
      score.textContent = `${correct} of ${asked} right`;
      const at = panel().replay.now;
      if (at < panel().replay.steps.length) viewer.go(at + 1);
      const next = h("button", { type: "button", class: "primary", "data-testid": "predict-next", onclick: ask }, "Next question");
      body.replaceChildren(text, h("p", { class: isRight ? "predict-right" : "predict-wrong", "data-testid": "predict-feedback" },
        isRight ? `Right: ${question.right}. ` : `No: ${question.right}${given === "" ? "" : `, not ${given}`}. `, question.explain(panel().replay)), next);
      next.focus({ preventScroll: true });
    };
    if (question.choices) {
      body.replaceChildren(text, ...question.choices.map((choice) => h("button", { type: "button", class: "predict-choice", onclick: () => answer(choice) }, choice)));
      return;
    }
    const input = h("input", { type: "text", inputmode: "numeric", autocomplete: "off", "aria-label": "Your answer", "data-testid": "predict-answer" });
    body.replaceChildren(text, h("form", { class: "predict-form", onsubmit: (event: Event) => { event.preventDefault(); answer(input.value); } },
      input, h("button", { type: "submit", "data-testid": "predict-submit" }, "Answer")));
    input.focus({ preventScroll: true });
  }

  ask();
  return end;
}
