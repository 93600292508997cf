// Charts for results with a table. The table remains as the accessible form of the data. The page reserves the space.

import { all, one } from "../dom.js";
import { number } from "../i18n.js";
import { loadStyles } from "../load_styles.js";
import { draw } from "./draw.js";

/** Draws a chart when its size is known, and again when it changes. */
const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => drawChart(target)));

/** Draws the charts that are not drawn yet. It can be called repeatedly. */
function drawCharts() {
  for (const figure of all("figure.chart:not([data-drawn])")) {
    figure.dataset.drawn = "true";
    sizes.observe(figure);
  }
}

function drawChart(figure) {
  const table = one("table.dataset", figure.closest(".result") ?? undefined);
  const { kind, columns, label, count } = figure.dataset;
  if (!table || !figure.clientWidth) return;
  const names = all("thead th", table).map(textOf);
  const rows = all("tbody tr", table).map((row) => all("td, th", row).map(textOf));
  const chart = { kind, columns: columns.split(",").map(Number), label, isCount: count !== undefined };
  draw(one("svg", figure), names, rows, chart, formatNumber);
}

const textOf = (cell) => cell.textContent.trim();

/** Formats numbers of axes and bars; large ones have no decimal places. */
function formatNumber(value) {
  return number(Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4)));
}

await loadStyles("charts.css");
drawCharts();
document.addEventListener("tributary:list", drawCharts);
