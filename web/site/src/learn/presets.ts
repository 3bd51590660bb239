/** Trees to start with: the worked examples of the literature (docs/algorithms.md) and ordered trees. */

import { orderedTree } from "./tree-text";

export interface Preset {
  id: string;
  name: string;
  /** What the tree shows. */
  note: string;
  tree: () => string;
}

const fixed = (id: string, name: string, tree: string, note: string): Preset => ({ id, name, note, tree: () => tree });

export const PRESETS: Preset[] = [
  fixed("textbook", "Textbook example (Aho, Hopcroft, Ullman 1983)",
    "A(B(C(D=2 E=1) F(G=6 H=9)) I(J(K=8 L=3) M(N=5 O=4)) P(Q(R=4 S=3) T(U=7 V=1)))",
    "Alpha-beta cuts off H and T, but it must evaluate O."),
  fixed("and-or", "AND/OR tree of a textbook, 17 nodes", "W0(W1(W2(3 5 4) W3(2 4)) W4(3 W5(7 1) W6(0 8)))",
    "Alpha-beta visits 11 of 17 nodes and 6 of 10 leaves; two branches of W4 are cut off."),
  fixed("refutation", "One refutation", "p(p1=10 p2(p21=9 p22=30))", "One reply that is good enough refutes a move: p22 is not visited."),
  fixed("min-cutoff", "Cutoff at a MIN node", "(a(b=3 c=12) d(e=-4 f=5 g=90))", "MAX already has 3; the MIN node d is cut off at -4."),
  fixed("c2", "Textbook figure: 20 against 15", "n(c1=20 c2(d=15 e=99 f=-7))", "c2 is worth at most 15, less than c1: e and f are not visited."),
  fixed("max-cutoff", "Cutoff at a MAX node", "(m(a(p=3 q=2) b(s=5 t=4)) z=0)", "The MIN node m already has 3; the MAX node b reaches 5, so t does not matter."),
  fixed("bound", "A bound is enough", "(left(a=4 b=2) right(c=1 d(e=7 f=9)))", "After c, the right subtree is worth at most 1; its exact value is not needed."),
  fixed("deep", "Deep cutoff", "(a=5 b(c(d(e=3 f=9) g=1) h=9))",
    "The bound of a cuts off f three plies below. Branch and bound, which compares with the parent only, must evaluate f."),
  fixed("good-small", "Good order, 5 leaves", "((3 12)(-4 5 90))", "With the best move first, 3 of 5 leaves are evaluated."),
  fixed("bad-small", "Bad order, the same leaves", "((5 90 -4)(3 12))", "With the best move last, all leaves are evaluated."),
  { id: "best", name: "Best order, width 3, depth 4", note: "Alpha-beta evaluates the minimal tree: 3² + 3² - 1 = 17 of 81 leaves.", tree: () => orderedTree(3, 4, true) },
  { id: "worst", name: "Worst order, width 3, depth 4", note: "Alpha-beta evaluates all 81 leaves; best-first search does not depend on the order as much.", tree: () => orderedTree(3, 4, false) },
];
