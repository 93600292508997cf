// Menu of the list: export, save, subscribe, copy link, mark as read.

import { prefix } from "../api.js";
import { copy } from "../account/copy.js";
import { fill, h, one, toast } from "../dom.js";
import { icon } from "../icon.js";
import { t, tn } from "../i18n.js";
import { countNew, hasAlerts, isSaved, markRead, loadSearch, setAlerts, setSaved, setSubscribed } from "./operations.js";

/** Filters of the list; the URL and the API use the same names. */
const FILTERS = ["providers", "not_providers", "author", "date", "starred", "new"];
const FORMATS = { csv: () => t("CSV (spreadsheet)"), json: () => "JSON", bibtex: () => t("BibTeX (references)"), rss: () => "RSS" };
/** The mixer of a search that names none; the interface fixes it. */
const DEFAULT_MIXER = "RelevancyConfidenceMixer";

const place = one("#list-actions");
let search = null;
let bar = null;

if (place) {
  document.addEventListener("tributary:list", ({ detail }) => update(Number(detail.search?.id ?? detail.search), detail.isFinal));
  update(Number(one("#answer-slot")?.dataset.search), false);
}

/** Loads the search if it is another one or has finished. */
async function update(id, isFinal) {
  if (!id || (search?.id === id && !isFinal)) return;
  const found = await loadSearch(id).catch(() => null);
  if (!found) return;
  search = { ...found, new_results: await countNew(found).catch(() => 0) };
  draw();
}

function draw() {
  bar ??= place.appendChild(h("div", { class: "buttons search-actions" }));
  const [saved, subscribed, alerted] = [isSaved(search), search.subscribe, hasAlerts(search)];
  const { alerts, needsMailAddress } = one("#page").dataset;
  const canAlert = subscribed && alerts !== undefined;
  fill(
    bar,
    exportMenu(),
    toggle("star", saved, saved ? t("Saved") : t("Save"), () => setSaved(search, !saved)),
    toggle("subscribe", subscribed, subscribed ? t("Subscribed") : t("Subscribe"), () => setSubscribed(search, !subscribed)),
    canAlert && toggle("alert", alerted, alerted ? t("Alerts on") : t("Send alerts"), () => setAlerts(search, !alerted)),
    canAlert && needsMailAddress !== undefined && h("a", { class: "small", href: "/account/" }, t("No alerts by mail: your account has no mail address")),
    h("button", { type: "button", class: "soft small with-icon", onclick: () => copy(shareableUrl(), t("Link copied")) }, icon("link"), t("Copy link")),
    search.new_results > 0 && h("button", { type: "button", class: "soft small with-icon", onclick: readAll }, icon("tick"), tn("Mark 1 new result as read", "Mark {n} new results as read", search.new_results)),
  );
}

/** The export menu. Its links are created when it opens, because filters change without a page load. */
function exportMenu() {
  const sheet = h("div", { class: "formats" });
  const link = ([format, name]) => h("a", { href: exportUrl(format), download: "" }, name());
  const printButton = () => h("button", { type: "button", class: "plain", onclick: printPage }, t("Print or PDF"));
  const refresh = () => fill(sheet, Object.entries(FORMATS).map(link), printButton());
  refresh();
  return h("details", { ontoggle: refresh }, h("summary", { class: "soft small with-icon" }, icon("export"), t("Export")), sheet);
}

/** Prints the page with its print styles; browsers can also save it as a PDF. */
function printPage() {
  bar.closest("details").open = false;
  print();
}

function exportUrl(format) {
  const parameters = new URLSearchParams({ search_id: search.id, format });
  const here = new URLSearchParams(location.search);
  // A comma may be part of the name of an author.
  for (const name of FILTERS) if (here.get(name)) parameters.set(name, here.getAll(name).join(name === "author" ? ";" : ","));
  if (here.get("sort")) parameters.set("result_mixer", here.get("sort"));
  return `${prefix}/results/export/?${parameters}`;
}

/** A URL that runs the same search for any user who opens it. Results are private; the query and the filters are not. */
function shareableUrl() {
  const parameters = new URLSearchParams({ q: search.query_string });
  if (search.searchprovider_list.length) parameters.set("sources", search.searchprovider_list.join(","));
  const here = new URLSearchParams(location.search);
  const sort = here.get("sort") ?? search.result_mixer;
  if (sort !== DEFAULT_MIXER) parameters.set("sort", sort);
  const filters = [...here].filter(([name]) => FILTERS.includes(name));
  // With `run`, `providers` is a filter of the new list.
  for (const [name, value] of filters.length ? [["run", "true"], ...filters] : []) parameters.append(name, value);
  return `${location.origin}/?${parameters}`;
}

function toggle(iconName, isOn, name, action) {
  const press = async () => {
    try {
      search = { ...search, ...(await action()) };
      draw();
      one(`.icon-${iconName}`, bar).closest("button").focus();
    } catch (error) {
      toast(error.message, { bad: true });
    }
  };
  return h("button", { type: "button", class: "soft small with-icon", "aria-pressed": String(isOn), onclick: press }, icon(iconName), name);
}

async function readAll() {
  try {
    await markRead(search);
    search = { ...search, new_results: 0 };
    draw();
    toast(t("All results marked as read"));
    document.dispatchEvent(new CustomEvent("tributary:read", { detail: { search: search.id } }));
  } catch (error) {
    toast(error.message, { bad: true });
  }
}
