import assert from "node:assert/strict";
import { test } from "node:test";
import { clampRandom, duplicateName, minimalLeaves, parseTree, randomTree, type TextNode } from "../src/learn/tree-text";

const parse = (text: string) => parseTree(text)!;

test("random_tree_is_uniform_and_repeatable", () => {
  const wanted = { width: 3, depth: 3, order: 50, range: 9, seed: 5 }, text = randomTree(wanted);
  assert.equal(text, randomTree(wanted));
  assert.notEqual(text, randomTree({ ...wanted, seed: 6 }));
  assert.equal(text.match(/\d+/g)!.length, 27);
  assert.ok(text.match(/\d+/g)!.every((value) => Number(value) <= 9));
});

test("order_of_a_random_tree_changes_the_places_of_the_values_only", () => {
  const values = (order: number) => randomTree({ width: 3, depth: 4, order, range: 99, seed: 1 }).match(/\d+/g)!.sort();
  assert.deepEqual(values(0), values(100));
  // With the best child first at every node, the first leaf has the value of the tree.
  const value = (node: TextNode, max: boolean): number =>
    node.children.length === 0 ? Number(node.value) : (max ? Math.max : Math.min)(...node.children.map((child) => value(child, !max)));
  const text = randomTree({ width: 3, depth: 4, order: 100, range: 99, seed: 1 });
  assert.equal(value(parse(text), true), Number(/\d+/.exec(text)![0]));
});

test("size_of_a_random_tree_is_limited", () => {
  assert.deepEqual(clampRandom({ width: 9, depth: 9, order: 200, range: 0, seed: -1 }), { width: 5, depth: 4, order: 100, range: 1, seed: 0 });
  assert.equal(clampRandom({ width: NaN, depth: 2, order: 0, range: 5, seed: 0 }).width, 2);
});

test("minimal_leaves_of_a_tree_that_is_not_uniform", () => {
  for (const [text, leaves] of [["7", 1], ["(1 2)", 2], ["((3 12)(-4 5 90))", 3], ["((5 90 -4)(3 12))", 3], ["(a=5 b(c(d(e=3 f=9) g=1) h=9))", 3]] as const) {
    assert.equal(minimalLeaves(parse(text)), leaves, text);
  }
});

test("duplicate_names_are_found", () => {
  assert.equal(duplicateName(parse("(a=1 a=2)")), "a");
  assert.equal(duplicateName(parse("x(a(1 2) b(3 a=4))")), "a");
  assert.equal(duplicateName(parse("(1 1 (1 1))")), undefined);
});
