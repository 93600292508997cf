// List of a resource: search, filters, inline switches, paging.

import { announce, fill, h } from "../../dom.js";
import { number, t, tn } from "../../i18n.js";
import { problem, scroller } from "../parts.js";
import { cell, unreadable } from "./cells.js";
import { resource, labelOf, title } from "./resource.js";
import { ITEMS, rowsOf } from "./rows.js";
import { inlineSwitch } from "./switch.js";
import { tools } from "./tools.js";

/** How long the first drawing waits for what was measured. */
const PATIENCE_MS = 400;

/**
 * Draws the list. What is special of a page:
 * `tools(again)` more buttons, `above(again)` what stands over the list, `states()` what the service measured by key,
 * `badge(row, state)` beside the name, `isFixed(row)` what cannot be switched, `actions(row, again)` at the end of a row.
 */
export function showList(place, special) {
  const state = fromAddress();
  const body = h("div", { class: "list-body" });
  const above = h("div", {});
  let asking;
  let states = new Map();
  let last = null;

  async function load() {
    asking?.abort();
    asking = new AbortController();
    toAddress(state);
    body.setAttribute("aria-busy", "true");
    try {
      const [answer] = await Promise.all([rowsOf(state, asking.signal), Promise.race([known, new Promise((done) => setTimeout(done, PATIENCE_MS))])]);
      last = answer;
      draw(answer);
      announce(tn("One entry", "{n} entries", answer.count));
    } catch (error) {
      if (error.name !== "AbortError") fill(body, problem(error, load));
    }
    body.removeAttribute("aria-busy");
  }

  function draw(answer) {
    const isWanted = state.text || Object.values(state.filters).some((value) => value !== "");
    if (!answer.rows.length) {
      const empty = isWanted ? t("Nothing found. Try a different search or clear the filters.") : t("Nothing here yet.");
      return fill(body, h("p", { class: "note" }, empty));
    }
    fill(body, scroller(title, tableOf(answer.rows, { states, special, again: load })),
      h("div", { class: "list-foot" }, countLine(answer), pager(state, answer.count, load)));
  }

  const changed = () => {
    state.page = 1;
    load();
  };
  fill(place, tools(state, changed, special.tools?.(load) ?? []), above, body);
  if (special.above) Promise.resolve(special.above(load)).then((what) => fill(above, what), () => {});
  // What the service measured may come after the rows; then they are drawn once more.
  const known = special.states ? special.states().then((found) => {
    states = found;
    if (last) draw(last);
  }, () => {}) : Promise.resolve();
  load();
}

function tableOf(rows, { states, special, again }) {
  const hasActions = Boolean(special.actions);
  const head = h("tr", { role: "row" },
    resource.columns.map((column) => h("th", { scope: "col", role: "columnheader" }, t(column.label))),
    resource.switches.map((name) => h("th", { scope: "col", role: "columnheader" }, labelOf(name))),
    hasActions && h("th", { scope: "col", role: "columnheader" }, h("span", { class: "unseen" }, t("Actions"))));
  const lines = rows.map((row) => {
    const state = states.get(row[resource.key]);
    const cells = resource.columns.map((column, place) =>
      h("td", { role: "cell", "data-label": t(column.label), class: place ? null : "first" }, cell(column, row, state),
        !place ? [" ", unreadable(row), " ", special.badge?.(row, state)] : null));
    const switches = resource.switches.map((name) =>
      h("td", { role: "cell", "data-label": labelOf(name), class: "switch-cell" }, inlineSwitch(row, name, special.isFixed?.(row) ?? false)));
    return h("tr", { role: "row" }, cells, switches, hasActions && h("td", { role: "cell", class: "row-actions" }, special.actions(row, again)));
  });
  return h("table", { class: "list rows", role: "table" }, h("caption", { class: "unseen" }, title),
    h("thead", { role: "rowgroup" }, head), h("tbody", { role: "rowgroup" }, lines));
}

const countLine = ({ count, isCut }) =>
  h("p", { class: "faint num" }, isCut ? t("Only the first {n} are shown.", { n: number(count) }) : tn("One entry", "{n} entries", count));

function pager(state, count, load) {
  if (count <= ITEMS) return null;
  const last = Math.ceil(count / ITEMS);
  const go = (page) => () => {
    state.page = page;
    load().then(() => document.getElementById("main").scrollIntoView());
  };
  const from = (state.page - 1) * ITEMS + 1;
  return h("nav", { class: "pager", "aria-label": t("Pages") },
    h("button", { type: "button", class: "soft", disabled: state.page <= 1, onclick: go(state.page - 1) }, t("Previous")),
    h("span", { class: "num muted" }, t("{from} to {to} of {n}", { from: number(from), to: number(Math.min(count, from + ITEMS - 1)), n: number(count) })),
    h("button", { type: "button", class: "soft", disabled: state.page >= last, onclick: go(state.page + 1) }, t("Next")));
}

/** What the address of the page says about the list, so that it can be kept and come back to. */
function fromAddress() {
  const query = new URLSearchParams(location.search);
  const filters = Object.fromEntries(resource.filters.map((filter) => [filter.parameter, query.get(filter.parameter) ?? ""]));
  return { text: query.get("text") ?? "", filters, page: Math.max(1, Number(query.get("page")) || 1) };
}

function toAddress({ text, filters, page }) {
  const all = { text, ...filters, page: page > 1 ? page : "" };
  const query = new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ""));
  history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
}
