// Axes of a chart over time: grid lines with numbers, and labels below.

import { s } from "../../dom.js";
import { labelPositions, ticks } from "./scale.js";

const LEFT = 46;
const RIGHT = 10;
const TOP = 10;
const BOTTOM = 24;

/** The positions of values in a drawing of this size, and the elements of the axes. */
export function axes({ width, height, most, labels, format, isCount, isBanded = false }) {
  const marks = ticks(most, 4, isCount);
  const top = marks.at(-1) || 1;
  const inner = width - LEFT - RIGHT;
  const y = (value) => TOP + (height - TOP - BOTTOM) * (1 - Math.min(value, top) / top);
  const band = inner / Math.max(labels.length, 1);
  const x = (place) => (isBanded ? LEFT + band * (place + 0.5) : LEFT + (labels.length < 2 ? inner / 2 : (inner * place) / (labels.length - 1)));
  const lines = marks.map((mark) => [
    s("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(mark), y2: y(mark) }),
    s("text", { x: LEFT - 8, y: y(mark) + 4, "text-anchor": "end" }, format(mark)),
  ]);
  const below = labelPositions(labels.length, inner, 74).map((place) => {
    const at = x(place);
    const anchor = at > width - 34 ? "end" : at < LEFT + 30 ? "start" : "middle";
    return s("text", { x: anchor === "end" ? width - RIGHT + 6 : at, y: height - 6, "text-anchor": anchor }, labels[place]);
  });
  return { x, y, band, floor: y(0), parts: [...lines.flat(), ...below] };
}
