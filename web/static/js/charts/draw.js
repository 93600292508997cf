// Draws bars, points and bubbles. Colors come from the styles; each mark has its numbers as a title.

import { fill, s } from "../dom.js";
import { barsOf, pointsOf } from "./data.js";
import { linear, ticks } from "./scale.js";

/** A drawing is as wide as its element, so that its text keeps its size; only below this width it is scaled. */
const WIDTH_MIN = 300;
/** The server reserves the heights: `ui/search/chart.rs`. */
const BAR_HEIGHT = 20;
const BAR_GAP = 8;
const CHAR_WIDTH = 6;
const VALUE_WIDTH = 64;
const PLOT = { left: 56, right: 28, top: 30, bottom: 276 };
const PLOT_HEIGHT = 322;
const NAME_CHARS = 30;
const RADIUS = { point: 4.5, least: 4, most: 24 };

/** Draws a chart into its element. `say` formats numbers. */
export function draw(svg, names, rows, chart, say) {
  const width = Math.max(svg.clientWidth, WIDTH_MIN);
  const { height, parts } = chart.kind === "bar" ? bars(rows, chart, { say, width }) : plot(names, rows, chart, { say, width });
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  fill(svg, ...parts);
}

function bars(rows, chart, { say, width }) {
  const bars = barsOf(rows, chart);
  const values = bars.map((bar) => bar.value);
  const steps = ticks(Math.min(0, ...values), Math.max(0, ...values), 4);
  const longest = Math.max(...bars.map((bar) => bar.label.length));
  const labels = Math.min(longest * CHAR_WIDTH + 16, width * 0.32);
  const chars = Math.floor((labels - 16) / CHAR_WIDTH);
  const x = linear(steps[0], steps[steps.length - 1], labels, width - VALUE_WIDTH);
  const height = BAR_GAP * 2 + bars.length * (BAR_HEIGHT + BAR_GAP);
  const marks = bars.map((bar, place) => {
    const y = BAR_GAP * 1.5 + place * (BAR_HEIGHT + BAR_GAP);
    const [from, to] = [x(0), x(bar.value)].sort((a, b) => a - b);
    const middle = y + BAR_HEIGHT / 2 + 4;
    return [
      s("text", { x: labels - 8, y: middle, "text-anchor": "end" }, truncate(bar.label, chars)),
      s("rect", { class: bar.value < 0 ? "bar below" : "bar", "data-mark": true, x: from, y, width: Math.max(to - from, 1), height: BAR_HEIGHT, rx: 3 },
        s("title", null, `${bar.label}: ${say(bar.value)}`)),
      s("text", { class: "value", x: to + 6, y: middle }, say(bar.value)),
    ];
  });
  const grid = steps.map((step) => s("line", { class: step === 0 ? "axis" : "grid", x1: x(step), x2: x(step), y1: BAR_GAP / 2, y2: height - BAR_GAP / 2 }));
  return { height, parts: [grid, marks] };
}

function plot(names, rows, chart, { say, width }) {
  const right = width - PLOT.right;
  const points = pointsOf(rows, chart);
  const extent = (key) => [Math.min(...points.map((point) => point[key])), Math.max(...points.map((point) => point[key]))];
  const xs = ticks(...extent("x"), width < 480 ? 3 : 6);
  const ys = ticks(...extent("y"), 5);
  const x = linear(xs[0], xs[xs.length - 1], PLOT.left, right);
  const y = linear(ys[0], ys[ys.length - 1], PLOT.bottom, PLOT.top);
  const [smallest, largest] = extent("size");
  // The area of a bubble shows the size, not its width.
  const radius = linear(Math.sqrt(smallest), Math.sqrt(largest), RADIUS.least, RADIUS.most);
  const [xName, yName, sizeName] = chart.columns.map((column) => names[column]);
  const isBubble = chart.kind === "bubble";
  const marks = [...points]
    .sort((a, b) => b.size - a.size)
    .map((point) => {
      const size = isBubble ? `, ${sizeName} ${say(point.size)}` : "";
      const words = `${point.label ? `${point.label}: ` : ""}${xName} ${say(point.x)}, ${yName} ${say(point.y)}${size}`;
      const r = isBubble ? radius(Math.sqrt(point.size)) : RADIUS.point;
      return s("circle", { class: isBubble ? "bubble" : "dot-mark", "data-mark": true, cx: x(point.x), cy: y(point.y), r }, s("title", null, words));
    });
  const axes = [
    ys.map((step) => [
      s("line", { class: "grid", x1: PLOT.left, x2: right, y1: y(step), y2: y(step) }),
      s("text", { x: PLOT.left - 8, y: y(step) + 4, "text-anchor": "end" }, say(step)),
    ]),
    xs.map((step) => [
      s("line", { class: "grid", x1: x(step), x2: x(step), y1: PLOT.top, y2: PLOT.bottom }),
      s("text", { x: x(step), y: PLOT.bottom + 16, "text-anchor": "middle" }, say(step)),
    ]),
    s("line", { class: "axis", x1: PLOT.left, x2: right, y1: PLOT.bottom, y2: PLOT.bottom }),
    s("line", { class: "axis", x1: PLOT.left, x2: PLOT.left, y1: PLOT.top, y2: PLOT.bottom }),
    s("text", { class: "value", x: right, y: PLOT.bottom + 34, "text-anchor": "end" }, truncate(xName, NAME_CHARS)),
    s("text", { class: "value", x: 8, y: PLOT.top - 12 }, truncate(yName, NAME_CHARS)),
  ];
  return { height: PLOT_HEIGHT, parts: [axes.flat(2), marks] };
}

const truncate = (text, chars) => (text.length > chars ? `${text.slice(0, chars - 1)}…` : text);
