// Circuit breakers: the state of each source, and a button to resume a paused one.

import { del, get } from "../api.js";
import { announce, fill, h, toast } from "../dom.js";
import { number, seconds, t } from "../i18n.js";
import { errorAlert, segments, errorMessage, table, work } from "./components.js";

const REFRESH_MS = 5000;
const ORDER = { open: 0, suspended: 0, half_open: 1, closed: 2, unknown: 3 };

let which = "all";
let states = [];
const list = h("div");
const filter = h("input", { type: "search", autocomplete: "off" });
filter.addEventListener("input", draw);
fill(work(),
  h("p", { class: "lead muted" }, t("A source that fails five times in a row, or asks for fewer requests, is paused for a while. Then a single request checks whether it has recovered. You can resume it earlier.")),
  h("div", { class: "tools" }, h("label", { class: "grow" }, t("Filter by name"), filter),
    segments(t("Show"), [["all", t("All")], ["paused", t("Paused")]], "all", (value) => { which = value; draw(); })),
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
  const isPaused = (one) => one.state !== "closed" && one.state !== "unknown";
  const found = states.filter((one) => (which === "all" || isPaused(one)) && one.name.toLowerCase().includes(wanted));
  found.sort((one, other) => (ORDER[one.state] ?? 3) - (ORDER[other.state] ?? 3) || one.name.localeCompare(other.name));
  fill(list, table(t("Sources"), [
    { title: t("Source"), cell: (one) => h("a", { href: `/admin/searchproviders/${one.id}/` }, one.name) },
    { title: t("State"), cell: state },
    { title: t("Resumes in"), kind: "num", cell: (one) => (one.seconds > 0 ? `${number(Math.ceil(one.seconds))} s` : "-") },
    { title: t("Reason"), cell: (one) => one.reason || "-" },
    { title: "p50", kind: "num", cell: (one) => seconds(one.p50) },
    { title: t("Last hour"), kind: "num", cell: (one) => t("{ok} ok, {failed} failed", { ok: number(one.ok ?? 0), failed: number(one.failed ?? 0) }) },
    { title: t("Reset"), cell: (one) => isPaused(one) && h("button", { type: "button", class: "soft small", onclick: () => reset(one) }, t("Resume now"), h("span", { class: "visually-hidden" }, ` ${one.name}`)) },
  ], found, which === "paused" ? t("No paused sources.") : states.length ? t("No matching sources.") : t("No sources yet.")));
}

function state(one) {
  if (one.state === "closed") return h("span", { class: "badge" }, t("active"));
  if (one.state === "half_open") return h("span", { class: "badge warn" }, t("recovering"));
  if (one.state === "unknown") return h("span", { class: "badge quiet" }, t("not queried yet"));
  return h("span", { class: "badge bad" }, t("paused"));
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
