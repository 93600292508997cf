// Figure of a chart: name, responsive drawing, and the data as a table.

import { fill, h, s } from "../../dom.js";
import { t } from "../../i18n.js";

const HEIGHT = 190;

/**
 * A figure that is redrawn when its width changes. `draw(width, height)` returns the elements of the drawing; `table` is
 * `{head, rows}` with the data as text.
 */
export function figure(name, { draw, table, key = [], height = HEIGHT, className = "" }) {
  const drawing = s("svg", { role: "img", "aria-label": name, height });
  const element = h("figure", { class: `chart ${className}` }, legend(key), drawing, dataTable(name, table));
  let last = 0;
  const observer = new ResizeObserver(([entry]) => {
    const width = Math.round(entry.contentRect.width);
    if (width === last || width < 40) return;
    last = width;
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    fill(drawing, draw(width, height));
  });
  observer.observe(element);
  return element;
}

function legend(key) {
  if (key.length < 2) return null;
  return h("ul", { class: "key" }, key.map(({ label, color }) => h("li", {}, s("svg", { width: 10, height: 10, "aria-hidden": "true" }, s("circle", { cx: 5, cy: 5, r: 5, class: `fill-${color}` })), label)));
}

function dataTable(name, { head, rows }) {
  return h("details", {}, h("summary", {}, t("Show as table")),
    h("div", { class: "scroller", role: "region", tabindex: "0", "aria-label": name }, h("table", { class: "list" }, h("caption", { class: "visually-hidden" }, name),
      h("thead", {}, h("tr", {}, head.map((text, place) => h("th", { scope: "col", class: place ? "num" : null }, text)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((text, place) => h(place ? "td" : "th", { class: place ? "num" : null, scope: place ? null : "row" }, text))))))));
}
