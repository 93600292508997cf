// Line charts over time. A missing value leaves a gap.

import { s } from "../../dom.js";
import { number } from "../../i18n.js";
import { axes } from "./axes.js";
import { figure } from "./frame.js";

/**
 * `labels` name the points; `series` are `{label, color, values, isFilled}`. `format` formats a number.
 */
export function lineChart(name, { labels, first, series, format = number, isCount = false, height = undefined }) {
  const most = Math.max(0, ...series.flatMap((one) => one.values).filter((value) => value !== null));
  return figure(name, {
    height,
    key: series,
    table: { head: [first, ...series.map((one) => one.label)], rows: labels.map((label, place) => [label, ...series.map((one) => (one.values[place] === null ? "–" : format(one.values[place])))]) },
    draw: (width, size) => {
      const { x, y, floor, parts } = axes({ width, height: size, most, labels, format, isCount });
      const drawn = series.flatMap((one) => [
        one.isFilled && s("path", { class: `under fill-${one.color}`, d: area(one.values, x, y, floor) }),
        s("path", { class: `line stroke-${one.color}`, d: path(one.values, x, y) }),
        ...isolatedPoints(one.values).map((place) => s("circle", { class: `fill-${one.color}`, cx: x(place), cy: y(one.values[place]), r: 3 })),
      ]);
      return [...parts, ...drawn];
    },
  });
}

function path(values, x, y) {
  let isGap = true;
  return values.map((value, place) => {
    if (value === null) {
      isGap = true;
      return "";
    }
    const step = `${isGap ? "M" : "L"}${x(place).toFixed(1)} ${y(value).toFixed(1)}`;
    isGap = false;
    return step;
  }).join("");
}

function area(values, x, y, floor) {
  if (values.length < 2 || values.includes(null)) return "";
  return `${path(values, x, y)}L${x(values.length - 1).toFixed(1)} ${floor}L${x(0).toFixed(1)} ${floor}Z`;
}

/** Points without a neighbor, which a line does not show. */
const isolatedPoints = (values) => values.map((_, place) => place).filter((place) => values[place] !== null && (values[place - 1] ?? null) === null && (values[place + 1] ?? null) === null);

/** A sparkline: a small line without axes. */
export function spark(name, values, color = 0) {
  const real = values.filter((value) => value !== null);
  if (real.length < 2) return null;
  const [low, high] = [Math.min(...real), Math.max(...real)];
  const points = values.map((value, place) => (value === null ? null : `${((120 * place) / (values.length - 1)).toFixed(1)} ${(31 - (28 * (value - low)) / (high - low || 1)).toFixed(1)}`)).filter(Boolean);
  return s("svg", { viewBox: "0 0 120 34", preserveAspectRatio: "none", role: "img", "aria-label": name }, s("path", { class: `spark stroke-${color}`, d: `M${points.join("L")}` }));
}
