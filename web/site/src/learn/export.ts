/** The drawing as a file: SVG with its styles, or PNG. */

import type { Viewer } from "../../../../game-tree/src/drawing/viewer.js";
import { svg } from "../dom";

const PROPERTIES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-weight", "font-style", "text-anchor"];
const MARGIN = 12, LINE = 22;

/** Returns the drawings of a viewer, one below the other, with their titles, as one SVG. */
export function svgOf(viewer: Viewer): { text: string; width: number; height: number } {
  const color = (element: Element, property: string) => getComputedStyle(element).getPropertyValue(property);
  const parts: SVGElement[] = [];
  let width = 0, top = MARGIN;
  for (const panel of viewer.panels) {
    const drawn = panel.tree.querySelector("svg");
    if (!drawn) continue;
    const copy = drawn.cloneNode(true) as SVGElement, { width: own, height } = drawn.viewBox.baseVal;
    const originals = [...drawn.querySelectorAll("*")];
    for (const [index, element] of [...copy.querySelectorAll("*")].entries()) {
      for (const name of PROPERTIES) element.setAttribute(name, color(originals[index]!, name));
      element.removeAttribute("class");
    }
    for (const text of [panel.title.textContent, panel.sentence.textContent]) {
      top += LINE;
      parts.push(svg("text", { x: MARGIN, y: top - 6, "font-size": 15, fill: color(viewer.element, "color") }, new Text(text ?? "")));
    }
    for (const [name, value] of Object.entries({ x: 0, y: top, width: own, height })) copy.setAttribute(name, String(value));
    parts.push(copy);
    width = Math.max(width, own);
    top += height;
  }
  const background = svg("rect", { width, height: top, fill: color(viewer.element, "background-color") });
  const root = svg("svg", { viewBox: `0 0 ${width} ${top}`, width, height: top, "font-family": "system-ui, sans-serif" }, background, ...parts);
  return { text: new XMLSerializer().serializeToString(root), width, height: top };
}

/** Returns the drawings of a viewer as PNG, in twice the size for print. */
export async function pngOf(viewer: Viewer): Promise<Blob> {
  const { text, width, height } = svgOf(viewer), image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas"), scale = Math.min(2, 8000 / width, 8000 / height);
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser cannot draw an image of this size")))));
}
