// History page.

import { get } from "../api.js";
import { confirmAction } from "../confirm_dialog.js";
import { all, announce, fill, h, one, toast } from "../dom.js";
import { scrollToCurrentTab } from "../tabs.js";
import { day, number, t, tn } from "../i18n.js";
import { showActivity } from "./activity.js";
import { bulk } from "./bulk.js";
import { foldEqual } from "./fold.js";
import { isSaved, remove } from "./operations.js";
import { showCount, searchRow } from "./row.js";
import { isBusy } from "./status.js";

const ITEMS = 20;
const TYPING_MS = 250;
/** Interval and maximum number of reloads of a list with running searches. */
const RELOAD_MS = 2000;
const RELOADS_MAX = 30;
const SHOWS = { recent: "", saved: "&saved=true", subscribed: "&subscribed=true" };

const place = one("#searches");
const chosen = new Set();
/** The searches that are folded into the line of each id, and the lines that are open. */
const earlier = new Map();
const opened = new Set();
let view = viewFromUrl();
let shown = { count: 0, results: [] };
let request = new AbortController();
let reloads = 0;

const names = { recent: t("Recent"), saved: t("Saved"), subscribed: t("Subscribed") };
const tabs = h("nav", { class: "seg", "aria-label": t("Show searches") });
const filter = h("input", { type: "search", "aria-label": t("Filter searches"), placeholder: t("Filter searches"), maxlength: 200, value: view.text });
const assistant = h("input", { type: "checkbox", onchange: () => go({ assistant: assistant.checked, page: 1 }, true) });
const assistantChoice = h("label", { class: "with-assistant" }, assistant, " ", t("Show searches by the Assistant"));
const bar = bulk({ chooseAll, removeChosen: () => removeSearches([...chosen]) });
const rows = h("div", { class: "rows" });
const pages = h("nav", { class: "pages", "aria-label": t("Pages") });
fill(place, h("h2", { class: "visually-hidden" }, t("Searches")), h("div", { class: "toolbar" }, tabs, assistantChoice, filter), bar.element, rows, pages);

let typing;
filter.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => go({ text: filter.value.trim(), page: 1 }, true), TYPING_MS);
});
addEventListener("popstate", () => {
  view = viewFromUrl();
  filter.value = view.text;
  load();
});
showActivity(one("#activity"), load()).catch(() => null);

function viewFromUrl() {
  const parameters = new URLSearchParams(location.search);
  const show = parameters.get("show");
  const page = Number.parseInt(parameters.get("page") ?? "1", 10);
  return { show: show in SHOWS ? show : "recent", text: parameters.get("text") ?? "", page: page > 0 ? page : 1, assistant: parameters.get("assistant") === "true" };
}

function urlOf(next) {
  const parameters = new URLSearchParams();
  if (next.show !== "recent") parameters.set("show", next.show);
  if (next.text) parameters.set("text", next.text);
  if (next.page > 1) parameters.set("page", next.page);
  if (next.assistant) parameters.set("assistant", "true");
  return parameters.size ? `/history/?${parameters}` : "/history/";
}

function go(change, replaces = false) {
  view = { ...view, ...change };
  history[replaces ? "replaceState" : "pushState"](null, "", urlOf(view));
  chosen.clear();
  opened.clear();
  reloads = 0;
  return load();
}

async function load() {
  request.abort();
  request = new AbortController();
  const { signal } = request;
  drawTabs();
  try {
    const text = view.text ? `&text=${encodeURIComponent(view.text)}` : "";
    // What is saved or subscribed is listed, whoever searched.
    const own = view.show === "recent" && !view.assistant ? "&assistant=false" : "";
    shown = await get(`/search/?search_only=true&items=${ITEMS}&page=${view.page}${SHOWS[view.show]}${own}${text}`, { signal });
    if (!shown.results.length && shown.count && view.page > 1) return go({ page: Math.ceil(shown.count / ITEMS) }, true);
    draw();
    announce(tn("1 search", "{n} searches", shown.count));
    loadCounts(signal);
    if (shown.results.some((one) => isBusy(one.status)) && reloads++ < RELOADS_MAX) setTimeout(() => signal.aborted || load(), RELOAD_MS);
  } catch (error) {
    if (error.name !== "AbortError") fill(rows, h("p", { class: "alert", role: "alert" }, error.message));
  }
}

function drawTabs() {
  assistantChoice.hidden = view.show !== "recent";
  assistant.checked = view.assistant;
  const links = Object.keys(SHOWS).map((show) => {
    const target = { ...view, show, page: 1 };
    const follow = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(target).then(() => one("[aria-current]", tabs).focus());
    };
    return h("a", { href: urlOf(target), "aria-current": show === view.show ? "page" : null, onclick: follow }, names[show]);
  });
  fill(tabs, links);
  scrollToCurrentTab(tabs);
}

function draw() {
  showBulk();
  drawPages();
  if (!shown.results.length) return fill(rows, emptyNote());
  earlier.clear();
  fill(rows, [...groupByDay(shown.results)].map(([name, searches]) => [h("h3", { class: "day" }, name), h("ul", { class: "search-list" }, foldEqual(searches, isKept).map(groupRows))]));
}

const isKept = (search) => isSaved(search) || search.subscribe;
const foldedInto = (id) => (opened.has(id) ? [] : (earlier.get(id) ?? [])).map((search) => search.id);

/** The line of a search, and if it is open, those of equal earlier ones. */
function groupRows(group) {
  const { id } = group.search;
  if (group.earlier.length) earlier.set(id, group.earlier);
  const folded = opened.has(id) ? group.earlier : [];
  return [searchRow(group.search, list), ...folded.map((one) => searchRow(one, list))];
}

const list = {
  update(search) {
    const stays = (view.show !== "saved" || isSaved(search)) && (view.show !== "subscribed" || search.subscribe);
    if (!stays || isBusy(search.status)) return load();
    const old = shown.results.find((one) => one.id === search.id);
    Object.assign(old ?? {}, search);
    const stale = one(`[data-id="${search.id}"]`, rows);
    const focused = stale ? all(".tool", stale).indexOf(document.activeElement) : -1;
    // What is saved is no longer folded.
    if (earlier.size) draw();
    else stale?.replaceWith(searchRow(search, list));
    if (focused >= 0) all(".tool", one(`[data-id="${search.id}"]`, rows) ?? rows)[focused]?.focus();
    loadCounts(request.signal);
  },
  choose(id, isChosen) {
    for (const one of [id, ...foldedInto(id)]) isChosen ? chosen.add(one) : chosen.delete(one);
    showBulk();
  },
  reload: () => load(),
  isChosen: (id) => chosen.has(id),
  earlierCount: (id) => earlier.get(id)?.length ?? 0,
  isOpened: (id) => opened.has(id),
  toggleEarlier(id) {
    if (!opened.delete(id)) opened.add(id);
    draw();
    one(`[data-id="${id}"] .earlier`, rows)?.focus();
    loadCounts(request.signal);
  },
  remove(search) {
    const ids = [search.id, ...foldedInto(search.id)];
    return ids.length > 1 ? removeSearches(ids) : removeAll(ids, t("“{query}” and its results will be permanently deleted.", { query: search.query_string }));
  },
};

/** Loads the number of results of rows without one from their newest runs. */
async function loadCounts(signal) {
  for (const search of shown.results.filter((one) => one.retrieved === undefined && !isBusy(one.status))) {
    if (signal.aborted) return;
    if (!one(`[data-id="${search.id}"]`, rows)) continue;
    const [newest] = await get(`/search/${search.id}/runs/`, { signal }).catch(() => []);
    search.retrieved = newest?.retrieved ?? null;
    const element = one(`[data-id="${search.id}"]`, rows);
    if (element && newest) showCount(element, newest.retrieved);
  }
}

function showBulk() {
  bar.show(chosen.size, shown.results.length, shown.count);
}

function chooseAll(isChosen) {
  chosen.clear();
  if (isChosen) for (const search of shown.results) chosen.add(search.id);
  draw();
}

function removeSearches(ids) {
  return removeAll(ids, tn("1 search and its results will be permanently deleted.", "{n} searches and their results will be permanently deleted.", ids.length));
}

async function removeAll(ids, sentence) {
  const title = tn("Delete this search?", "Delete {n} searches?", ids.length);
  if (!(await confirmAction({ title, sentence, yes: t("Delete") }))) return;
  const failures = await remove(ids);
  chosen.clear();
  if (failures) toast(tn("1 search could not be deleted.", "{n} searches could not be deleted.", failures), { bad: true });
  else toast(tn("1 search deleted", "{n} searches deleted", ids.length));
  await load();
  filter.focus();
}

function drawPages() {
  const last = Math.max(1, Math.ceil(shown.count / ITEMS));
  const step = (page, name) => h("button", { type: "button", class: "soft", disabled: page < 1 || page > last, onclick: () => go({ page }) }, name);
  const where = t("Page {page} of {last}", { page: number(view.page), last: number(last) });
  fill(pages, last > 1 && [step(view.page - 1, t("Previous")), h("span", { class: "muted num" }, where), step(view.page + 1, t("Next"))]);
}

function emptyNote() {
  const sentence = view.text
    ? t("No matching searches.")
    : { recent: t("You have not searched yet."), saved: t("No saved searches yet. Use the star next to a search to save it."), subscribed: t("No subscriptions yet. A subscribed search checks for new results automatically.") }[view.show];
  return h("div", { class: "empty" }, h("p", { class: "muted" }, sentence), !view.text && h("p", null, h("a", { href: "/" }, t("Go to search"))));
}

function dayOf(search) {
  const date = new Date(search.date_created);
  const ago = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(date).setHours(0, 0, 0, 0)) / 86_400_000);
  return ago <= 0 ? t("Today") : ago === 1 ? t("Yesterday") : day(date);
}

function groupByDay(searches) {
  const groups = new Map();
  for (const search of searches) groups.set(dayOf(search), [...(groups.get(dayOf(search)) ?? []), search]);
  return groups;
}
