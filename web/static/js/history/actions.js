// Toolbar above the results: export, save, subscribe, copy link, mark as read.

import { prefix } from "../api.js";
import { copy } from "../account/copy.js";
import { fill, h, one, toast } from "../dom.js";
import { icon } from "../icon.js";
import { t, tn } from "../i18n.js";
import { countNew, isSaved, markRead, read, save, subscribe } from "./operations.js";

/** What narrows the list, by the names that the address and the API share. */
const FILTERS = ["providers", "not_providers", "author", "date", "starred", "new"];
const FORMATS = { csv: () => t("CSV (spreadsheet)"), json: () => "JSON", bibtex: () => t("BibTeX (references)"), rss: () => "RSS" };
const DEFAULT_MIXER = "RelevancyConfidenceMixer";

const place = one("#list-actions");
let search = null;
let bar = null;

if (place) {
  document.addEventListener("tributary:list", ({ detail }) => look(Number(detail.search?.id ?? detail.search), detail.isFinal));
  look(Number(one("#answer-slot")?.dataset.search), false);
}

/** Reads the search when it is another one, or has come to its end. */
async function look(id, isFinal) {
  if (!id || (search?.id === id && !isFinal)) return;
  const found = await read(id).catch(() => null);
  if (!found) return;
  search = { ...found, new_results: await countNew(found).catch(() => 0) };
  draw();
}

function draw() {
  bar ??= place.appendChild(h("div", { class: "buttons search-actions" }));
  const [saved, subscribed] = [isSaved(search), search.subscribe];
  fill(
    bar,
    exports(),
    toggle("star", saved, saved ? t("Saved") : t("Save"), () => save(search, !saved)),
    toggle("subscribe", subscribed, subscribed ? t("Subscribed") : t("Subscribe"), () => subscribe(search, !subscribed)),
    h("button", { type: "button", class: "soft small drawn", onclick: () => copy(shareable(), t("Link copied")) }, icon("link"), t("Copy link")),
    search.new_results > 0 && h("button", { type: "button", class: "soft small drawn", onclick: readAll }, icon("tick"), tn("Mark 1 new result as read", "Mark {n} new results as read", search.new_results)),
  );
}

/** The links are made when the menu opens, because filters change without a new page. */
function exports() {
  const sheet = h("div", { class: "sheet-menu left" });
  const link = ([format, name]) => h("a", { href: exported(format), download: "" }, name());
  const paper = () => h("button", { type: "button", class: "plain", onclick: onPaper }, t("Print or PDF"));
  const refresh = () => fill(sheet, Object.entries(FORMATS).map(link), paper());
  refresh();
  return h("details", { class: "menu", ontoggle: refresh }, h("summary", { class: "soft small drawn" }, icon("export"), t("Export")), sheet);
}

/** The page has a style for paper; the browser makes a PDF of it where that is wanted. */
function onPaper() {
  one(".menu[open]", bar)?.removeAttribute("open");
  print();
}

function exported(format) {
  const asked = new URLSearchParams({ search_id: search.id, format });
  const here = new URLSearchParams(location.search);
  for (const name of FILTERS) if (here.get(name)) asked.set(name, here.getAll(name).join(","));
  if (here.get("sort")) asked.set("result_mixer", here.get("sort"));
  return `${prefix}/results/export/?${asked}`;
}

/** An address that asks the same again, for whoever opens it. Results are private; questions are not. */
function shareable() {
  const asked = new URLSearchParams({ q: search.query_string });
  if (search.searchprovider_list.length) asked.set("sources", search.searchprovider_list.join(","));
  const sort = new URLSearchParams(location.search).get("sort") ?? search.result_mixer;
  if (sort !== DEFAULT_MIXER) asked.set("sort", sort);
  return `${location.origin}/?${asked}`;
}

function toggle(drawing, isOn, name, deed) {
  const press = async () => {
    try {
      search = { ...search, ...(await deed()) };
      draw();
      one(`.icon-${drawing}`, bar).closest("button").focus();
    } catch (error) {
      toast(error.message, { bad: true });
    }
  };
  return h("button", { type: "button", class: "soft small drawn", "aria-pressed": String(isOn), onclick: press }, icon(drawing), name);
}

async function readAll() {
  try {
    await markRead(search.id);
    search = { ...search, new_results: 0 };
    draw();
    toast(t("All results marked as read"));
    document.dispatchEvent(new CustomEvent("tributary:read", { detail: { search: search.id } }));
  } catch (error) {
    toast(error.message, { bad: true });
  }
}
