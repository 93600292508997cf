// Row of a search: query, status, actions.

import { h, toast } from "../dom.js";
import { icon } from "../icon.js";
import { locale, t, time, tn } from "../i18n.js";
import { isByAssistant, isSaved, markRead, run, setSaved, setSubscribed } from "./operations.js";
import { runsPanel } from "./runs.js";
import { isBusy, describeStatus } from "./status.js";

const hours = new Intl.DateTimeFormat(locale, { timeStyle: "short" });

/**
 * The row of a search. `list` has callbacks: `list.update(search)` for a changed search, `list.reload()` if more may have
 * changed, `list.choose(id, isChosen)`, `list.remove(search)`, `list.isChosen(id)`, and for equal earlier searches
 * `list.earlierCount(id)`, `list.isOpened(id)` and `list.toggleEarlier(id)`.
 */
export function searchRow(search, list) {
  const element = h("li", { class: "search-row", "data-id": search.id });
  const act = (action, sentence) => async () => {
    element.setAttribute("aria-busy", "true");
    try {
      const changed = await action();
      if (sentence) toast(sentence);
      changed ? list.update({ ...search, ...changed }) : list.reload();
    } catch (error) {
      element.removeAttribute("aria-busy");
      toast(error.message, { bad: true });
    }
  };
  const choice = h("input", {
    type: "checkbox",
    "aria-label": t("Select {query}", { query: search.query_string }),
    onchange: () => list.choose(search.id, choice.checked),
  });
  choice.checked = list.isChosen(search.id);
  element.append(h("label", { class: "row-choice" }, choice), description(search, list), h("div", { class: "row-buttons" }, toggles(search, act), menu(search, act, list, element)));
  return element;
}

function description(search, list) {
  const { kind, words } = describeStatus(search.status);
  const isUpdated = search.date_updated && Date.parse(search.date_updated) - Date.parse(search.date_created) > 60_000;
  return h(
    "div",
    { class: "what" },
    h(
      "p",
      { class: "line" },
      h("a", { class: "query", dir: "auto", href: `/?search_id=${search.id}` }, search.query_string || t("(empty query)")),
      isByAssistant(search) && h("span", { class: "badge quiet" }, t("Assistant")),
      earlierButton(search, list),
      search.new_results > 0 && h("a", { class: "badge", href: `/?search_id=${search.id}&new=true` }, tn("1 new", "{n} new", search.new_results)),
    ),
    h(
      "p",
      { class: "meta num" },
      h("time", { datetime: search.date_created, title: time(search.date_created) }, hours.format(new Date(search.date_created))),
      h("span", { class: `state ${kind}` }, words),
      search.searchprovider_list.length > 0 && h("span", null, sources(search)),
      isUpdated && h("span", null, t("last run {when}", { when: time(search.date_updated) })),
      countOf(search),
    ),
  );
}

/** Shows or hides the equal searches that this line stands for. */
function earlierButton({ id }, list) {
  const count = list.earlierCount(id);
  if (!count) return null;
  const properties = { type: "button", class: "plain earlier num", "aria-expanded": String(list.isOpened(id)), onclick: () => list.toggleEarlier(id) };
  return h("button", properties, tn("1 earlier", "{n} earlier", count));
}

function sources({ searchprovider_list: list }) {
  if (list.length <= 3 && list.every((one) => Number.isNaN(Number(one)))) return list.join(", ");
  return tn("1 selected source", "{n} selected sources", list.length);
}

function toggles(search, act) {
  const [saved, subscribed] = [isSaved(search), search.subscribe];
  return [
    toggle("star", saved, saved ? t("Saved") : t("Save"), act(() => setSaved(search, !saved), saved ? t("Removed from saved searches") : t("Saved"))),
    toggle(
      "subscribe",
      subscribed,
      subscribed ? t("Subscribed") : t("Subscribe"),
      act(() => setSubscribed(search, !subscribed), subscribed ? t("Unsubscribed") : t("Subscribed. New results will be marked.")),
    ),
  ];
}

const toggle = (iconName, isOn, name, onclick) =>
  h("button", { type: "button", class: "tool", "aria-pressed": String(isOn), "aria-label": name, title: name, onclick }, icon(iconName));

function menu(search, act, list, element) {
  const summary = h("summary", { class: "tool", title: t("More") }, icon("more"), h("span", { class: "visually-hidden" }, t("More actions for {query}", { query: search.query_string })));
  const closing = (action) => () => {
    fold.open = false;
    summary.focus();
    action();
  };
  const entry = (name, action, kind) => h("button", { type: "button", class: kind ? `plain ${kind}` : "plain", onclick: closing(action) }, name);
  const isIdle = !isBusy(search.status);
  const fold = h(
    "details",
    { class: "menu" },
    summary,
    h(
      "div",
      { class: "sheet-menu" },
      h("a", { href: `/?search_id=${search.id}` }, t("Open")),
      isIdle && entry(t("Run again"), act(() => run(search, "rerun"), t("Search restarted"))),
      isIdle && entry(t("Update now"), act(() => run(search, "update"), t("Updated"))),
      search.new_results > 0 && entry(t("Mark all as read"), act(() => markRead(search).then(() => ({ new_results: 0 })), t("All results marked as read"))),
      entry(t("Runs and differences"), () => toggleRuns(search, element)),
      entry(t("Delete"), () => list.remove(search), "bad"),
    ),
  );
  return fold;
}

/** Shows or hides the runs below the row. */
function toggleRuns(search, element) {
  const shown = element.querySelector(".runs-holder");
  if (shown) return shown.remove();
  const close = h("button", { type: "button", class: "tool", "aria-label": t("Close"), onclick: () => holder.remove() }, icon("close"));
  const title = h("h3", { tabindex: -1 }, t("Runs"));
  const holder = h("div", { class: "runs-holder" }, h("div", { class: "runs-head" }, title, close), runsPanel(search));
  element.append(holder);
  title.focus();
}

/** The number of results of the newest run. It is loaded after the list, so its space is reserved. */
function countOf({ retrieved, status }) {
  if (Number.isInteger(retrieved)) return retrievedCount(retrieved);
  return retrieved === undefined && !isBusy(status) && h("span", { class: "count" });
}

/** Adds the number of results of the newest run to a row without one. */
export function showCount(element, retrieved) {
  element.querySelector(".count:empty")?.replaceWith(retrievedCount(retrieved));
}

/** The number of results that the sources returned. The list may have fewer, so the text says "retrieved". */
const retrievedCount = (retrieved) => h("span", { class: "count", title: t("Results returned by the sources. The list merges duplicates and hides what you blocked.") }, tn("1 retrieved", "{n} retrieved", retrieved));
