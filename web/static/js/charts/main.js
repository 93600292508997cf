// Charts for results with a table. The table remains as the accessible form of the data.

import { all, h, one } from "../dom.js";
import { number, t, tn } from "../i18n.js";
import { chosen } from "./choose.js";
import { draw } from "./draw.js";

/** Draws what is not drawn yet. Safe to call as often as one likes. */
export function charts(root = document) {
  for (const payload of all("section.payload[data-chart]:not([data-drawn])", root)) {
    payload.dataset.drawn = "true";
    const table = one("table", payload);
    const made = table && chart(table, payload.dataset.chart, payload.closest(".result")?.clientWidth);
    if (made) placeFor(payload).before(made);
  }
}

function chart(table, suggested, width) {
  const names = all("thead th", table).map((cell) => cell.textContent.trim());
  const rows = all("tbody tr", table).map((row) => all("td, th", row).map((cell) => cell.textContent.trim()));
  if (!names.length || !rows.length) return null;
  const kind = chosen(names, rows, suggestion(suggested));
  const name = nameOf(kind, names);
  const { svg, leftOut } = draw(names, rows, kind, { name, say, width });
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

function suggestion(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Large numbers are short on axes and bars. */
function say(value) {
  return number(Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4)));
}

/** Before what folds the table away: a chart is seen without a click. */
function placeFor(payload) {
  return one(".folds", payload.closest(".result") ?? payload) ?? payload.firstElementChild;
}

charts();
document.addEventListener("tributary:list", () => charts());
