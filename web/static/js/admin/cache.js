// Statistics of the semantic cache. Shows counts only, never documents.

import { get } from "../api.js";
import { bytes } from "../bytes.js";
import { fill, h } from "../dom.js";
import { langOf, number, t, tn } from "../i18n.js";
import { barChart } from "./charts/bars.js";
import { card, errorAlert, work } from "./components.js";

const REFRESH_MS = 10_000;
const failed = h("div");
const notes = h("div");
const tiles = h("div", { class: "tiles" });
const cards = h("div", { class: "cards" });
fill(work(),
  h("p", { class: "lead muted" }, t("Copies of documents that users retrieved with their own permissions, so they can be found again quickly. Only counts are shown here; a document is visible only to users who have access to it.")),
  failed, notes, tiles, cards);

let last = "";
async function refresh() {
  try {
    const statistics = await get("/cache/statistics/");
    fill(failed);
    const json = JSON.stringify(statistics);
    // Content that the user is reading is not replaced.
    if (json === last || cards.contains(document.activeElement) || cards.querySelector("details[open]")) return;
    last = json;
    draw(statistics);
  } catch (error) {
    if (!failed.firstChild) fill(failed, errorAlert(error, refresh));
  }
}

function draw(statistics) {
  const { signals, today } = statistics;
  fill(notes, !statistics.licensed && h("p", { class: "note" }, t("The license does not include the semantic cache. Nothing is stored or searched."), " ", h("a", { href: "/admin/license/" }, t("License"))));
  // Without a license there is nothing to count, except for what an earlier one has left.
  const documents = signals.indexed + signals.pinned;
  if (!statistics.licensed && !documents && !signals.known) return;
  fill(tiles,
    tile(t("Documents"), documents, documentsLine(documents, signals.known)),
    tile(t("Searchable passages"), statistics.chunks, tn("One document is pinned.", "{n} documents are pinned.", signals.pinned)),
    h("div", { class: "tile" }, h("span", { class: "muted" }, t("Full texts")), h("b", { class: "num" }, bytes(statistics.body_bytes)), h("p", { class: "faint" }, t("Compressed size in storage."))),
    tile(t("Access grants"), statistics.grants, t("One per user who retrieved a document.")));
  fill(cards, livenessCard(statistics.liveness), todayCard(today), backendCard(t("Vector store"), statistics.vector_store), backendCard(t("Text storage"), statistics.storage));
}

function documentsLine(documents, known) {
  if (known) return tn("1 more requested and not cached yet.", "{n} more requested and not cached yet.", known);
  return documents ? t("All requested documents are cached.") : t("The cache is empty.");
}

const tile = (name, value, extra) => h("div", { class: "tile" }, h("span", { class: "muted" }, name), h("b", { class: "num" }, number(value)), h("p", { class: "faint" }, extra));

function livenessCard({ alive, gone, unknown }) {
  const items = [{ label: t("available"), values: [alive] }, { label: t("unknown"), values: [unknown] }, { label: t("gone"), values: [gone] }];
  const hasAny = alive + gone + unknown > 0;
  return card(t("Status at the source"), hasAny
    ? barChart(t("Documents by status at the source"), { items, first: t("Answer"), series: [{ label: t("Documents"), color: 0 }] })
    : h("p", { class: "note" }, t("The cache is empty.")));
}

function todayCard({ searches, hits, ingested, failed: failures }) {
  const share = searches ? t("{hits} of {all} ({share}%)", { hits: number(hits), all: number(searches), share: number(Math.round((100 * hits) / searches)) }) : "–";
  return card(t("Today"), h("dl", { class: "facts" },
    fact(t("Cache lookups"), number(searches)), fact(t("Cache hits"), share),
    fact(t("Documents added"), number(ingested)), fact(t("Failed documents"), number(failures))),
    h("p", { class: "faint" }, t("Since midnight UTC, in the process that served this page.")));
}

function backendCard(name, { kind, ok, message }) {
  const badge = ok ? h("span", { class: "badge" }, t("good")) : h("span", { class: "badge bad" }, t("unavailable"));
  return card(name, h("p", {}, badge, " ", h("code", {}, kind)), message && h("p", { class: "muted help", lang: langOf(message) }, message));
}

const fact = (name, value) => [h("dt", {}, name), h("dd", { class: "num" }, value)];

refresh();
setInterval(() => document.visibilityState === "visible" && refresh(), REFRESH_MS);
