// The semantic cache in figures. What is in it is nobody's business here: documents are for those who have a right to them.

import { get } from "../api.js";
import { bytes } from "../bytes.js";
import { fill, h } from "../dom.js";
import { number, t, tn } from "../words.js";
import { rows } from "./charts/bars.js";
import { card, problem, work } from "./parts.js";

const REFRESH_MS = 10_000;

const failed = h("div");
const notes = h("div");
const tiles = h("div", { class: "tiles" });
const cards = h("div", { class: "cards" });
fill(work(),
  h("p", { class: "lead muted" }, t("Copies of what people retrieved with their own rights, so that it is found again at once. Only counts are shown here: documents are for those who have a right to them.")),
  failed, notes, tiles, cards);

let last = "";
async function refresh() {
  try {
    const told = await get("/cache/statistics/");
    fill(failed);
    const seen = JSON.stringify(told);
    // Nothing is taken away from under somebody who reads it.
    if (seen === last || cards.contains(document.activeElement) || cards.querySelector("details[open]")) return;
    last = seen;
    draw(told);
  } catch (error) {
    if (!failed.firstChild) fill(failed, problem(error, refresh));
  }
}

function draw(told) {
  const { signals, today } = told;
  fill(notes, !told.licensed && h("p", { class: "note" }, t("The license does not open the cache: nothing is found in it and nothing goes in."), " ", h("a", { href: "/admin/license/" }, t("License"))));
  fill(tiles,
    tile(t("Documents"), signals.indexed + signals.pinned, signals.known ? tn("One more was asked for and is not here yet.", "{n} more were asked for and are not here yet.", signals.known) : t("All that were asked for are here.")),
    tile(t("Pieces that can be found"), told.chunks, tn("One document is pinned.", "{n} documents are pinned.", signals.pinned)),
    h("div", { class: "tile" }, h("span", { class: "muted" }, t("Full texts")), h("b", { class: "num" }, bytes(told.body_bytes)), h("p", { class: "faint" }, t("Packed, as they lie in the storage."))),
    tile(t("Rights of people"), told.grants, t("One for each person who retrieved a document.")));
  fill(cards, atSources(told.liveness), ofToday(today), backing(t("Vector store"), told.vector_store), backing(t("Storage of texts"), told.storage));
}

const tile = (name, value, extra) => h("div", { class: "tile" }, h("span", { class: "muted" }, name), h("b", { class: "num" }, number(value)), h("p", { class: "faint" }, extra));

function atSources({ alive, gone, unknown }) {
  const items = [{ label: t("still there"), values: [alive] }, { label: t("not known"), values: [unknown] }, { label: t("gone"), values: [gone] }];
  const hasAny = alive + gone + unknown > 0;
  return card(t("At their sources"), hasAny
    ? rows(t("Documents by what their sources last said"), { items, first: t("Answer"), series: [{ label: t("Documents"), colour: 0 }] })
    : h("p", { class: "note" }, t("The cache is empty.")));
}

function ofToday({ searches, hits, ingested, failed: lost }) {
  const share = searches ? t("{hits} of {all} ({share}%)", { hits: number(hits), all: number(searches), share: number(Math.round((100 * hits) / searches)) }) : "-";
  return card(t("Today"), h("dl", { class: "facts" },
    fact(t("Questions to the cache"), number(searches)), fact(t("It had something for"), share),
    fact(t("Documents that came in"), number(ingested)), fact(t("Documents that could not be had"), number(lost))),
    h("p", { class: "faint" }, t("Since midnight UTC, in the process that answered.")));
}

function backing(name, { kind, ok, message }) {
  const badge = ok ? h("span", { class: "badge" }, t("good")) : h("span", { class: "badge bad" }, t("does not work"));
  return card(name, h("p", {}, badge, " ", h("code", {}, kind)), message && h("p", { class: "muted help" }, message));
}

const fact = (name, value) => [h("dt", {}, name), h("dd", { class: "num" }, value)];

refresh();
setInterval(() => document.visibilityState === "visible" && refresh(), REFRESH_MS);
