/** Trees as text, for editing: `A(B(D=2 E=1) C(G=6 H=9))`. The grammar is that of `aspirant tree --tree`. */

export interface TextNode {
  name: string;
  /** The value of a leaf as written. */
  value: string;
  children: TextNode[];
}

const TOKEN = /\s*,*\s*(?:([()=])|([^\s,()=]+))/gy;

const isName = (word: string) => /^[\p{L}_]/u.test(word) && word.toLowerCase() !== "inf";

/** Parses a valid tree text; returns undefined if it is not valid. */
export function parseTree(text: string): TextNode | undefined {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) tokens.push(match[1] ?? match[2] ?? "");
  const root: TextNode = { name: "", value: "", children: [] };
  const open = [root];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? "", parent = open[open.length - 1];
    if (parent === undefined) return undefined;
    const node: TextNode = { name: "", value: "", children: [] };
    if (token === ")") {
      open.pop();
      continue;
    }
    parent.children.push(node);
    if (token === "(") {
      open.push(node);
    } else if (isName(token) && tokens[at + 1] === "(") {
      node.name = token;
      open.push(node);
      at++;
    } else if (isName(token) && tokens[at + 1] === "=") {
      node.name = token;
      node.value = tokens[at + 2] ?? "";
      at += 2;
    } else {
      node.value = token;
    }
  }
  return open.length === 1 && root.children.length === 1 ? root.children[0] : undefined;
}

/** Returns the text of a tree. */
export function formatTree(node: TextNode): string {
  if (node.children.length === 0) return node.name === "" ? node.value : `${node.name}=${node.value}`;
  let text = `${node.name}(`;
  for (const child of node.children) {
    if (!text.endsWith("(")) text += " ";
    text += formatTree(child);
  }
  return `${text})`;
}

/** Returns the node at a path of child numbers. */
export function nodeAt(root: TextNode, path: readonly (number | string)[]): TextNode | undefined {
  let node: TextNode | undefined = root;
  for (const index of path) node = node?.children[Number(index)];
  return node;
}

/** Returns a uniform tree with the leaf values 1, 2, ..., the best or the worst child first at every node. */
export function orderedTree(width: number, depth: number, bestFirst: boolean): string {
  const build = (first: number, leaves: number, ply: number): string => {
    if (ply === depth) return String(first);
    const size = leaves / width;
    // High values are good for MAX, low ones for MIN.
    const highFirst = (ply % 2 === 0) === bestFirst;
    const children = Array.from({ length: width }, (_, k) => build(first + (highFirst ? width - 1 - k : k) * size, size, ply + 1));
    return `(${children.join(" ")})`;
  };
  return build(1, width ** depth, 0);
}

/** A random uniform tree. */
export interface RandomTree {
  width: number;
  depth: number;
  /** Percentage of the nodes whose best child is the first one. */
  order: number;
  /** Leaf values are in 0..=range. */
  range: number;
  seed: number;
}

/** Limits of the values of a random tree. */
export const RANDOM_LIMITS: Record<keyof RandomTree, [number, number]> = { width: [2, 5], depth: [1, 6], order: [0, 100], range: [1, 99], seed: [0, 0x7fffffff] };
const MAX_RANDOM_LEAVES = 1024;

/** Returns the parameters within their limits; the depth is reduced until the tree is small enough. */
export function clampRandom(wanted: RandomTree): RandomTree {
  const tree = { ...wanted };
  for (const key of Object.keys(RANDOM_LIMITS) as (keyof RandomTree)[]) {
    const [least, most] = RANDOM_LIMITS[key];
    tree[key] = Math.max(least, Math.min(most, Math.round(tree[key]) || least));
  }
  while (tree.width ** tree.depth > MAX_RANDOM_LEAVES) tree.depth--;
  return tree;
}

/** A generator of random numbers in 0..1 (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), 1 | state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the text of a random tree. The seed determines the values; another order only exchanges children. */
export function randomTree({ width, depth, order, range, seed }: RandomTree): string {
  const values = generator(seed), places = generator(seed + 1);
  const build = (ply: number): { text: string; value: number } => {
    if (ply === depth) {
      const value = Math.floor(values() * (range + 1));
      return { text: String(value), value };
    }
    const children = Array.from({ length: width }, () => build(ply + 1)), max = ply % 2 === 0;
    const value = Math.max(...children.map((child) => (max ? child.value : -child.value))) * (max ? 1 : -1);
    const best = children.splice(children.findIndex((child) => child.value === value), 1);
    // Both numbers are drawn at every node, so that the tree changes little when the order does.
    const isFirst = places() * 100 < order, place = 1 + Math.floor(places() * (width - 1));
    children.splice(isFirst ? 0 : place, 0, ...best);
    return { text: `(${children.map(({ text }) => text).join(" ")})`, value };
  };
  return build(0).text;
}

/** Returns the first name that several nodes have. */
export function duplicateName(root: TextNode): string | undefined {
  const seen = new Set<string>();
  const find = (node: TextNode): string | undefined => {
    if (node.name !== "" && seen.has(node.name)) return node.name;
    seen.add(node.name);
    for (const child of node.children) {
      const found = find(child);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return find(root);
}

/**
 * Returns the least number of leaves that prove the value of a tree: those of a strategy of MAX that guarantees the value
 * and of one of MIN. They have one leaf in common. In a uniform tree: W^ceil(L/2) + W^floor(L/2) - 1 (Knuth and Moore 1975).
 */
export function minimalLeaves(root: TextNode): number {
  const number = (text: string) => (/inf/i.test(text) ? (text.startsWith("-") ? -Infinity : Infinity) : Number(text));
  const value = (node: TextNode, max: boolean): number => {
    if (node.children.length === 0) return number(node.value);
    const values = node.children.map((child) => value(child, !max));
    return max ? Math.max(...values) : Math.min(...values);
  };
  const target = value(root, true);
  /** Leaves of the smallest strategy that proves the bound; the player `own` chooses the moves. */
  const proof = (node: TextNode, max: boolean, own: boolean): number => {
    if (node.children.length === 0) return (own ? number(node.value) >= target : number(node.value) <= target) ? 1 : Infinity;
    const counts = node.children.map((child) => proof(child, !max, own));
    return max === own ? Math.min(...counts) : counts.reduce((sum, count) => sum + count, 0);
  };
  return proof(root, true, true) + proof(root, true, false) - 1;
}
