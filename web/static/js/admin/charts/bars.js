// Bar charts: vertical over days, horizontal for names.

import { s } from "../../dom.js";
import { number } from "../../i18n.js";
import { axes } from "./axes.js";
import { figure } from "./frame.js";

const ROW = 34;

/** One bar for each label; `series` are stacked from below as `{label, color, values}`. */
export function columnChart(name, { labels, first, series, format = number, height = undefined }) {
  const totals = labels.map((_, place) => series.reduce((sum, one) => sum + one.values[place], 0));
  return figure(name, {
    height,
    key: series,
    table: { head: [first, ...series.map((one) => one.label)], rows: labels.map((label, place) => [label, ...series.map((one) => format(one.values[place]))]) },
    draw: (width, size) => {
      const { x, y, band, floor, parts } = axes({ width, height: size, most: Math.max(0, ...totals), labels, format, isCount: true, isBanded: true });
      const thick = Math.max(1, Math.min(28, band * 0.7));
      const drawn = labels.flatMap((label, place) => {
        let below = 0;
        return series.filter((one) => one.values[place] > 0).map((one) => {
          const from = y(below);
          below += one.values[place];
          const bar = s("rect", { class: `fill-${one.color}`, x: x(place) - thick / 2, width: thick, y: y(below), height: Math.max(1, from - y(below)), rx: Math.min(2, thick / 3) });
          bar.append(s("title", {}, `${label}: ${one.label} ${format(one.values[place])}`));
          return bar;
        });
      });
      return [...parts, ...drawn, s("line", { class: "grid", x1: x(0) - band / 2, x2: x(labels.length - 1) + band / 2, y1: floor, y2: floor })];
    },
  });
}

/** A horizontal bar for each row `{label, values}`; with two series, the second is drawn behind the first. */
export function barChart(name, { items, first, series, format = number }) {
  const most = Math.max(Number.EPSILON, ...items.flatMap((item) => item.values).filter((value) => value !== null));
  return figure(name, {
    height: Math.max(1, items.length) * ROW,
    key: series,
    table: { head: [first, ...series.map((one) => one.label)], rows: items.map((item) => [item.label, ...item.values.map((value) => (value === null ? "–" : format(value)))]) },
    draw: (width) => items.flatMap((item, place) => {
      const top = place * ROW;
      const lengthOf = (value) => Math.max(value > 0 ? 2 : 0, ((width - 2) * value) / most);
      const text = item.values.map((value) => (value === null ? "–" : format(value))).join(" / ");
      const bars = [...item.values.keys()].reverse().map((which) => s("rect", { class: `fill-${series[which].color}`, x: 0, y: top + 20, height: 7, rx: 3.5, width: lengthOf(item.values[which] ?? 0) }));
      return [
        s("text", { class: "name", x: 0, y: top + 14 }, truncate(item.label, Math.floor((width - 90) / 7))),
        s("text", { x: width, y: top + 14, "text-anchor": "end" }, text),
        s("rect", { class: "fill-soft", x: 0, y: top + 20, height: 7, rx: 3.5, width }),
        ...bars,
      ];
    }),
  });
}

const truncate = (text, chars) => (text.length > chars ? `${text.slice(0, Math.max(1, chars - 1))}…` : text);
