/** The chess board of the viewer of recorded searches (`viewer.js` of the crate game-tree-search), with `board.css`. */

/** Pieces in a box of 100 x 100: outlines, then details drawn as lines. @type {Record<string, string[]>} */
const PIECES = {
  p: ["M50 17a13 13 0 1 1-.01 0zM37 46Q50 40 63 46L58 51Q58 65 72 76V85H28V76Q42 65 42 51Z"],
  r: ["M26 85V77L34 70 36 44 29 38V19H39V27H45V19H55V27H61V19H71V38L64 44 66 70 74 77V85Z", "M36 44H64M34 70H66"],
  n: ["M30 85V78Q32 64 48 52 38 52 31 61L21 54Q23 39 35 30L37 16 46 25Q73 28 75 85Z", "M40 36v1"],
  b: ["M50 10a6 6 0 1 1-.01 0zM50 22Q70 37 62 57L66 70 74 78V85H26V78L34 70 38 57Q30 37 50 22Z", "M50 31V47M43 39H57M38 57H62"],
  q: ["M20 27L36 50 37 20 50 46 63 20 64 50 80 27 70 69 74 78V85H26V78L30 69Z", "M31 69H69"],
  k: ["M47 10H53V16H59V22H53V31Q58 24 70 29 88 40 70 62L72 77 74 85H26L28 77 30 62Q12 40 30 29 42 24 47 31V22H41V16H47Z", "M30 62H70M50 40V60"],
};

/** Returns the 64 squares of a FEN from a8 to h1: a piece letter or an empty string. @param {string} fen */
const squares = fen => [...fen.split(" ")[0].replaceAll("/", "")].flatMap(c => c >= "1" && c <= "8" ? Array(Number(c)).fill("") : [c]);

/**
 * Shows the position of a node as a board, with the squares that the last move changed.
 * @param {HTMLElement} container @param {string} fen @param {string} parentFen
 */
export function drawPosition(container, fen, parentFen) {
  /** @param {string} tag @param {Record<string, string|number>} attributes @param {string|number} [text] */
  const shape = (tag, attributes, text = "") => {
    const made = document.createElementNS("http:" + "//www.w3.org/2000/svg", tag);
    for (const key in attributes) made.setAttribute(key, String(attributes[key]));
    made.textContent = String(text);
    return made;
  };
  if (!fen) {
    container.replaceChildren();
    return;
  }
  const board = shape("svg", { class: "v-board", viewBox: "-.45 -.05 8.5 8.55", role: "img", "aria-label": "Board", "data-v": "board" });
  const before = parentFen ? squares(parentFen) : null;
  squares(fen).forEach((c, k) => {
    const x = k % 8, y = k >> 3, moved = before && before[k] !== c;
    board.append(shape("rect", { x, y, width: 1, height: 1, class: (x + y) % 2 ? "dark" : "light" }));
    if (moved) board.append(shape("rect", { x, y, width: 1, height: 1, class: "moved" }));
    if (!c) return;
    const piece = shape("g", { "data-piece": c, class: c === c.toUpperCase() ? "white" : "black", transform: `translate(${x} ${y}) scale(.01)` });
    const [outline, lines] = PIECES[c.toLowerCase()] || [""];
    piece.append(shape("path", { class: "outline", d: outline }));
    if (lines) piece.append(shape("path", { class: "lines", d: lines }));
    board.append(piece);
  });
  for (let k = 0; k < 8; k++) {
    board.append(shape("text", { class: "coordinate", x: -.22, y: k + .6, "text-anchor": "middle" }, 8 - k));
    board.append(shape("text", { class: "coordinate", x: k + .5, y: 8.36, "text-anchor": "middle" }, "abcdefgh"[k]));
  }
  container.replaceChildren(board);
}
