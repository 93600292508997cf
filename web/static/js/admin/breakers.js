// Circuit breakers: the state of each source, and a button to resume a paused one.

import { del, get } from "../api.js";
import { announce, fill, h, toast } from "../dom.js";
import { langOf, number, seconds, t, timeLeft } from "../i18n.js";
import { errorAlert, segments, errorMessage, table, work } from "./components.js";
import { describeFailure, formOf } from "./sources_health.js";

const REFRESH_MS = 5000;
const ORDER = { open: 1, suspended: 1, half_open: 2, closed: 3, unknown: 4 };
/** The filters by their value. */
const FILTERS = { all: () => true, failing: isFailing, paused: isPaused };

let which = "all";
let states = [];
const list = h("div");
const filter = h("input", { type: "search", autocomplete: "off" });
filter.addEventListener("input", draw);
fill(work(),
  h("p", { class: "lead muted" }, t("A source that fails five times in a row, or asks for fewer requests, is paused for a while. Then a single request checks whether it has recovered. You can resume it earlier.")),
  h("div", { class: "tools" }, h("label", { class: "grow" }, t("Filter by name"), filter),
    segments(t("Show"), [["all", t("All")], ["failing", t("Failing")], ["paused", t("Paused")]], "all", (value) => { which = value; draw(); })),
  list);
load();
setInterval(() => document.visibilityState === "visible" && !list.contains(document.activeElement) && load(), REFRESH_MS);

async function load() {
  try {
    states = await get("/searchproviders/states/");
    draw();
  } catch (error) {
    fill(list, errorAlert(error, load));
  }
}

function draw() {
  const wanted = filter.value.trim().toLowerCase();
  const found = states.filter((one) => FILTERS[which](one) && one.name.toLowerCase().includes(wanted));
  found.sort((one, other) => order(one) - order(other) || one.name.localeCompare(other.name));
  fill(list, table(t("Sources"), [
    { title: t("Source"), cell: (one) => h("a", { href: formOf(one.id) }, one.name) },
    { title: t("State"), cell: state },
    { title: t("Resumes in"), kind: "num", cell: (one) => (one.seconds > 0 ? timeLeft(one.seconds) : "–") },
    { title: t("Reason"), cell: reason },
    { title: "p50", kind: "num", cell: (one) => seconds(one.p50) },
    { title: t("Last hour"), kind: "num", cell: (one) => (one.ok || one.failed ? t("{ok} ok, {failed} failed", { ok: number(one.ok ?? 0), failed: number(one.failed ?? 0) }) : "–") },
    { title: t("Reset"), cell: (one) => isPaused(one) && h("button", { type: "button", class: "soft small", onclick: () => reset(one) }, t("Resume now"), h("span", { class: "visually-hidden" }, ` ${one.name}`)) },
  ], found, emptyMessage(), { isStacked: true }));
}

function emptyMessage() {
  if (!states.length) return t("No sources yet.");
  if (filter.value.trim() || which === "all") return t("No matching sources.");
  return which === "paused" ? t("No paused sources.") : t("No source is failing.");
}

/** Failing sources are first, then paused ones. */
const order = (one) => (isFailing(one) ? 0 : ORDER[one.state] ?? 4);

function isPaused(one) {
  return one.state !== "closed" && one.state !== "unknown";
}

/** A source fails if it needs attention, or if it is queried and no request of the last hour succeeded. */
function isFailing(one) {
  return Boolean(one.failing) || (one.state === "closed" && one.failed > 0 && !one.ok);
}

function reason(one) {
  if (!one.failing && !one.reason) return "–";
  return [one.failing && `${describeFailure(one.failing)}. `, one.reason && h("span", { lang: langOf(one.reason) }, one.reason)];
}

function state(one) {
  const paused = isPaused(one) && one.state !== "half_open" && h("span", { class: "badge bad" }, t("paused"));
  if (isFailing(one)) return [h("span", { class: "badge bad" }, t("failing")), " ", paused];
  if (paused) return paused;
  if (one.state === "half_open") return h("span", { class: "badge warn" }, t("recovering"));
  if (one.state === "unknown") return h("span", { class: "badge quiet" }, t("not queried yet"));
  return h("span", { class: "badge" }, t("active"));
}

async function reset(one) {
  try {
    await del(`/searchproviders/${one.id}/state/`);
    announce(t("{name} resumed.", { name: one.name }));
    toast(t("{name} resumed.", { name: one.name }));
    await load();
    filter.focus();
  } catch (error) {
    toast(errorMessage(error), { bad: true });
  }
}
