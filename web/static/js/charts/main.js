// Charts for results with a table. The table remains as the accessible form of the data.

import { all, h, one } from "../dom.js";
import { number, t, tn } from "../i18n.js";
import { loadStyles } from "../load_styles.js";
import { chooseChart } from "./choose.js";
import { draw } from "./draw.js";

/** Draws the charts that are not drawn yet. It can be called repeatedly. */
function drawCharts(root = document) {
  for (const payload of all("section.payload[data-chart]:not([data-drawn])", root)) {
    payload.dataset.drawn = "true";
    const table = one("table", payload);
    const figure = table && chart(table, payload.dataset.chart, payload.closest(".result")?.clientWidth);
    if (figure) chartPosition(payload).before(figure);
  }
}

function chart(table, suggested, width) {
  const names = all("thead th", table).map((cell) => cell.textContent.trim());
  const rows = all("tbody tr", table).map((row) => all("td, th", row).map((cell) => cell.textContent.trim()));
  if (!names.length || !rows.length) return null;
  const kind = chooseChart(names, rows, parseSuggestion(suggested));
  const name = nameOf(kind, names);
  const { svg, leftOut } = draw(names, rows, kind, { name, say: formatNumber, width });
  const rest = leftOut ? tn("The table contains 1 more row.", "The table contains {n} more rows.", leftOut) : "";
  return h("figure", { class: "chart", "data-kind": kind.kind }, svg, h("figcaption", null, name, rest ? `. ${rest}` : ""));
}

function nameOf({ kind, columns, isCount }, names) {
  const [first, second, third] = columns.map((column) => names[column]);
  if (kind === "scatter") return t("{y} by {x}", { x: first, y: second });
  if (kind === "bubble") return t("{y} by {x}, sized by {size}", { x: first, y: second, size: third });
  if (isCount) return t("Number of rows by {label}", { label: first });
  return second === undefined ? first : t("{y} by {x}", { x: first, y: second });
}

function parseSuggestion(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Formats numbers of axes and bars; large ones have no decimal places. */
function formatNumber(value) {
  return number(Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4)));
}

/** The element before which a chart is inserted: outside of the collapsed table, so that it is visible. */
function chartPosition(payload) {
  return one(".folds", payload.closest(".result") ?? payload) ?? payload.firstElementChild;
}

await loadStyles("charts.css");
drawCharts();
document.addEventListener("tributary:list", () => drawCharts());
