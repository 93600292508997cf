// List of a resource: search, filters, inline switches, paging.

import { announce, fill, h } from "../../dom.js";
import { number, t, tn } from "../../i18n.js";
import { errorAlert, scroller } from "../components.js";
import { cell, unreadableBadge } from "./cells.js";
import { resource, labelOf, title } from "./resource.js";
import { ITEMS, loadRows } from "./rows.js";
import { inlineSwitch } from "./switch.js";
import { toolbar } from "./toolbar.js";

/** How long the first rendering waits for the measurements. */
const STATES_WAIT_MS = 400;

/**
 * Draws the list. Options of a page: `tools(reload)` returns more buttons, `create()` the button for a new record,
 * `above(reload)` the content above the list, `states()` the measurements by key, `mark(row)` what is before the
 * name, `badge(row, state)` a badge beside it, `describe(row)` a sentence below it, `isFixed(row)` whether a row cannot be switched, `actions(row, reload)` the
 * content at the end of a row.
 */
export function showList(place, options) {
  const state = stateFromUrl();
  const body = h("div", { class: "list-body" });
  const above = h("div", {});
  let request;
  let states = new Map();
  let last = null;

  async function load() {
    request?.abort();
    request = new AbortController();
    stateToUrl(state);
    body.setAttribute("aria-busy", "true");
    try {
      const [answer] = await Promise.all([loadRows(state, request.signal), Promise.race([statesLoaded, new Promise((done) => setTimeout(done, STATES_WAIT_MS))])]);
      last = answer;
      draw(answer);
      announce(tn("One entry", "{n} entries", answer.count));
    } catch (error) {
      if (error.name !== "AbortError") fill(body, errorAlert(error, load));
    }
    body.removeAttribute("aria-busy");
  }

  function draw(answer) {
    const isFiltered = state.text || Object.values(state.filters).some((value) => value !== "");
    if (!answer.rows.length) {
      const empty = isFiltered ? t("Nothing found. Try a different search or clear the filters.") : t("Nothing here yet.");
      return fill(body, h("p", { class: "note" }, empty));
    }
    fill(body, scroller(title, tableOf(answer.rows, { states, options, reload: load })),
      h("div", { class: "list-foot" }, countLine(answer), pager(state, answer.count, load)));
  }

  const changed = () => {
    state.page = 1;
    load();
  };
  fill(place, toolbar(state, changed, options.tools?.(load) ?? [], options.create?.()), above, body);
  if (options.above) Promise.resolve(options.above(load)).then((what) => fill(above, what), () => {});
  // If the measurements arrive after the rows, the rows are drawn again.
  const statesLoaded = options.states ? options.states().then((found) => {
    states = found;
    if (last) draw(last);
  }, () => {}) : Promise.resolve();
  load();
}

function tableOf(rows, { states, options, reload }) {
  const hasActions = Boolean(options.actions);
  const head = h("tr", { role: "row" },
    resource.columns.map((column) => h("th", { scope: "col", role: "columnheader" }, t(column.label))),
    resource.switches.map((name) => h("th", { scope: "col", role: "columnheader" }, labelOf(name))),
    hasActions && h("th", { scope: "col", role: "columnheader" }, h("span", { class: "visually-hidden" }, t("Actions"))));
  const lines = rows.map((row) => {
    const state = states.get(row[resource.key]);
    const cells = resource.columns.map((column, place) =>
      h("td", { role: "cell", "data-label": t(column.label), class: place ? null : "first" }, place ? null : options.mark?.(row), cell(column, row, state),
        !place ? [" ", unreadableBadge(row), " ", options.badge?.(row, state), description(options.describe?.(row))] : null));
    const switches = resource.switches.map((name) =>
      h("td", { role: "cell", "data-label": labelOf(name), class: "switch-cell" }, inlineSwitch(row, name, options.isFixed?.(row) ?? false)));
    return h("tr", { role: "row" }, cells, switches, hasActions && h("td", { role: "cell", class: "row-actions" }, options.actions(row, reload)));
  });
  return h("table", { class: "list rows", role: "table" }, h("caption", { class: "visually-hidden" }, title),
    h("thead", { role: "rowgroup" }, head), h("tbody", { role: "rowgroup" }, lines));
}

const description = (sentence) => sentence && h("p", { class: "row-description muted" }, sentence);

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

/** The state of the list in the URL, so that it can be bookmarked. */
function stateFromUrl() {
  const query = new URLSearchParams(location.search);
  const filters = Object.fromEntries(resource.filters.map((filter) => [filter.parameter, query.get(filter.parameter) ?? ""]));
  return { text: query.get("text") ?? "", filters, page: Math.max(1, Number(query.get("page")) || 1) };
}

function stateToUrl({ text, filters, page }) {
  const all = { text, ...filters, page: page > 1 ? page : "" };
  const query = new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ""));
  history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
}
