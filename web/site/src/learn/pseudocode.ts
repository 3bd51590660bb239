/**
 * Pseudocode of the algorithms, in the notation of their files in game-tree/src/algorithms, and the line of each step.
 *
 * A line begins with the kinds of steps at which it is the current one, separated by commas, and a bar. A kind can have a
 * suffix that restricts it: `max` and `min` for the player at the node, `test` for a null window, `root` for the root.
 */

import type { Replay } from "../../../../game-tree/src/drawing/viewer.js";

const FAIL_SOFT = `
enter|search(p, α, β):
leaf|  if p is a leaf: return its value
|  best := -∞
|  for each move to p_i:
|    t := -search(p_i, -β, -max(best, α))
tentative|    if t > best: best := t
cut|    if best ≥ β: break
leave|  return best`;

const WITH_MEMORY = `
enter|search(n, α, β):
hit|  if memory decides: return its bound
|  narrow (α, β) by the bounds in memory
leaf|  if n is a leaf: store, return its value
|  g := -∞; a := α
|  for each child c of n:
|    t := -search(c, -β, -a)
tentative|    if t > g: g := t
cut|    if g ≥ β: break
|    a := max(a, g)
leave|  store g as a bound; return g`;

const NEGASCOUT = `
enter|NegaScout(p, α, β):
hit|  if memory decides: return its bound
leaf|  if p is a leaf: return its value
|  m := -∞; n := β
|  for each move to p_i:
|    t := -NegaScout(p_i, -n, -max(m, α))
again|    i > 1, max(m, α) < t < β, depth > 2:
|      t := -NegaScout(p_i, -β, -t)
tentative|    if t > m: m := t
cut|    if m ≥ β: break
|    n := max(m, α) + 1
leave|  return m`;

const ASPIRATION = `
pass|(α, β) := (guess - δ, guess + δ)
|loop:
|  v := search(root, α, β)
again.low|  if v ≤ α: (α, β) := (-∞, v + 1)
again.high|  if v ≥ β: (α, β) := (v - 1, +∞)
leave.root|  otherwise: return v`;

const AND_OR = (of: (kind: string) => string) => `
enter|final_value(n):
leaf|  if n is a leaf: its value is final
|  t(n) := -∞ at OR, +∞ at AND
|  for each child c of n:
|    v := final_value(c)
tentative.max|    OR: t(n) := max(t(n), v)
tentative.min|    AND: t(n) := min(t(n), v)
cut.max|    OR: break if t(n) ≥ t(${of("an AND")})
cut.min|    AND: break if t(n) ≤ t(${of("an OR")})
leave|  the tentative value t(n) is final`;

const MTD = (first: string) => `
pass|f⁻ := -∞; f⁺ := +∞; g := ${first}
|repeat
pass.next|  γ := g + 1 if g = f⁻, otherwise g
|  g := search(root, γ - 1, γ)
leave.root,hit.root|  if g < γ: f⁺ := g, otherwise f⁻ := g
|until f⁻ ≥ f⁺; return g
${WITH_MEMORY}`;

const BEST_FIRST = (max: string, min: string, highest: string, least: string, end: string) => `
pass|OPEN := {(root, live, ${end})}
|repeat: take the ${highest} h, (n, s, h); add
open.root|  the root, solved: return h
open.1|  1 solved ${min}: (parent, solved, h), purge
open.2|  2 solved ${max}: (next sibling, live, h)
open.3|  3 solved ${max}, last: (parent, solved, h)
open.4,leaf|  4 leaf: (n, solved, ${least}(h, value of n))
open.5|  5 live ${min}: (first child, live, h)
open.6|  6 live ${max}: (child, live, h) for each`;

const CODE: Record<string, string> = {
  "minimax": `
enter|search(B, mode):
leaf|  if B is a leaf: return payoff(B)
|  value := -∞ (MAX) or +∞ (MIN)
|  for each child C of B:
tentative.max|    MAX: value := max(value, search(C, MIN))
tentative.min|    MIN: value := min(value, search(C, MAX))
leave|  return value`,
  "minimax explicit stack": `
enter|next := root, or next child of the top
leaf|  a leaf: v := payoff(next)
|  an inner node: push it, value -∞ or +∞
leave|  no child left: pop the top, v := its value
tentative.max|  the top is MAX: value := max(value, v)
tentative.min|  the top is MIN: value := min(value, v)
|until the stack is empty; return v`,
  "negamax": `
enter|f(p):
leaf|  if p is a leaf: return its value
|  m := -∞
|  for each move to p_i:
|    t := -f(p_i)
tentative|    if t > m: m := t
leave|  return m`,
  "branch and bound": `
enter|B&B(p, bound):
leaf|  if p is a leaf: return its value
|  m := -∞
|  for each move to p_i:
|    t := -B&B(p_i, -m)
tentative|    if t > m: m := t
cut|    if m ≥ bound: break
leave|  return m`,
  "alpha-beta fail-hard": `
enter|AB(p, α, β):
leaf|  leaf: return its value within [α, β]
|  m := α
|  for each move to p_i:
|    t := -AB(p_i, -β, -m)
tentative|    if t > m: m := t
cut|    if m ≥ β: break
leave|  return m`,
  "alpha-beta fail-soft": FAIL_SOFT,
  "alpha-beta minimax form": `
enter|alpha_beta(node, α, β, maximizing):
leaf|  if node is a leaf: return its value
|  v := -∞ if maximizing, otherwise +∞
|  for each child:
tentative.max|    max: v := max(v, alpha_beta(child …))
|         α := max(α, v)
tentative.min|    min: v := min(v, alpha_beta(child …))
|         β := min(β, v)
cut|    if β ≤ α: break
leave|  return v`,
  "and/or shallow": AND_OR(() => "the parent"),
  "and/or deep": AND_OR((kind) => `${kind} ancestor`),
  "aspiration": `${ASPIRATION}\n${FAIL_SOFT}`,
  "aspiration negascout": `${ASPIRATION}\n${NEGASCOUT}`,
  "scout": `
enter|EVAL(p):
leaf|  if p is a leaf: return its value
|  v := EVAL(first child); other children c:
again|    if TEST(c, v, > at MAX, < at MIN):
tentative|      v := EVAL(c)
leave|  return v
enter.test|TEST(p, v, >):
leaf.test|  if p is a leaf: return its value > v
|  for each child c:
cut.test|    TEST(c, v, >) is good for p: return it
leave.test|  return the opposite`,
  "pvs": `
enter|pv_search(p, α, β):
hit|  if memory decides: return its bound
leaf|  if p is a leaf: return its value
|  first: t := -pv_search(p_1, -β, -α)
|  others, with lower := max(best, α):
enter.test|    t := -search(p_i, -lower-1, -lower)
again|    if lower < t < β:
|      t := -pv_search(p_i, -β, -lower)
tentative|    if t > best: best := t
cut|    if best ≥ β: break
leave|  return best`,
  "negascout": NEGASCOUT,
  "mtd(f)": MTD("f"),
  "mtd(+inf)": MTD("+∞"),
  "mtd(-inf)": MTD("-∞"),
  "sss*": BEST_FIRST("MAX", "MIN", "highest", "min", "+∞"),
  "dual*": BEST_FIRST("MIN", "MAX", "lowest", "max", "-∞"),
  "iterative deepening": `
pass|for d := 1, 2, … to the depth:
|  order the moves by the last iteration
|  search(root, -∞, +∞), leaves at depth d
${FAIL_SOFT}`,
  "alpha-beta etc": `
enter|search(n, α, β):
hit|  retrieve: if memory decides: return its bound
leaf|  if n is a leaf: store, return its value
|  if -(stored bound of a child) ≥ β:
cut.first|    return it, search no child
|  for each child c of n:
|    t := -search(c, -β, -max(g, α))
tentative|    if t > g: g := t
cut|    if g ≥ β: break
leave|  store and return g`,
};

export interface CodeLine {
  text: string;
  kinds: string[];
}

/** Returns the lines of an algorithm; alpha-beta fail-soft retrieves and stores if there is a memory. */
export function codeOf(algorithm: string, memory: boolean): CodeLine[] {
  const text = memory && algorithm === "alpha-beta fail-soft" ? WITH_MEMORY : CODE[algorithm] ?? "";
  return text.trim().split("\n").filter((line) => line !== "").map((line) => {
    const bar = line.indexOf("|");
    return { kinds: line.slice(0, bar).split(",").filter(Boolean), text: line.slice(bar + 1) };
  });
}

/** Returns the children of a node in the order of the search. */
export function inSearchOrder(replay: Replay, node: number): number[] {
  const { searchOrder, children } = replay.nodes[node]!;
  return searchOrder ?? children;
}

/** Returns the case of Stockman's operator that applies to the state that was taken from the OPEN list. */
export function openCase(replay: Replay, node: number, solved: boolean): "root" | "1" | "2" | "3" | "4" | "5" | "6" {
  const { parent, children } = replay.nodes[node]!;
  // MAX is the player whose states compete: MIN for DUAL*.
  const isMax = replay.isMax(node) === (replay.data.algorithm === "sss*");
  if (!solved) return children.length === 0 ? "4" : isMax ? "6" : "5";
  if (parent === null) return "root";
  if (!isMax) return "1";
  return inSearchOrder(replay, parent).at(-1) === node ? "3" : "2";
}

/** Returns the index of the current line; -1 before the first step. */
export function currentLine(lines: readonly CodeLine[], replay: Replay): number {
  let step = replay.steps[replay.now - 1];
  if (!step) return -1;
  // A live state that was taken from the OPEN list is expanded.
  if (step.t === "enter" && replay.data.best_first) step = { ...step, t: "open", solved: false };
  const { win } = replay.state[step.n]!;
  const suffixes: string[] = [];
  if (step.t === "open") suffixes.push(openCase(replay, step.n, step.solved === true));
  if (step.t === "pass" && (step.number ?? 1) > 1) suffixes.push("next");
  if (step.t === "cut" && replay.steps[replay.now - 2]?.t === "tentative" && replay.steps[replay.now - 3]?.t === "enter") suffixes.push("first");
  if (step.n === 0) suffixes.push("root", replay.state[0]!.sign === "≥" ? "high" : "low");
  if (win && win[1] - win[0] === 1) suffixes.push("test");
  suffixes.push(replay.isMax(step.n) ? "max" : "min");
  for (const kind of [...suffixes.map((suffix) => `${step.t}.${suffix}`), step.t]) {
    const found = lines.findIndex(({ kinds }) => kinds.includes(kind));
    if (found >= 0) return found;
  }
  return -1;
}
