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

/** Returns a tree of two to three children per node and depth `depth` with random leaf values from 0 to 99. */
export function randomTree(depth: number, random: () => number = Math.random): string {
  if (depth === 0) return String(Math.floor(random() * 100));
  const width = 2 + Math.floor(random() * 2);
  return `(${Array.from({ length: width }, () => randomTree(depth - 1, random)).join(" ")})`;
}
