// Health of the sources: which fail or are paused and why, and a button to resume a paused one.

import { del, get } from "../api.js";
import { announce, fill, h, toast } from "../dom.js";
import { langOf, seconds, t, timeLeft } from "../i18n.js";
import { errorAlert, segments, errorMessage, table, toSentence, work } from "./components.js";
import { describeFailure, formOf, isPaused, lastHour } from "./sources_health.js";

const REFRESH_MS = 5000;
const ORDER = { open: 1, suspended: 1, half_open: 2, closed: 3, unknown: 4 };
/** The filters by their value. */
const FILTERS = { all: () => true, failing: (one) => Boolean(one.failing), paused: isPaused };

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
    { title: t("Reason"), cell: (one) => reason(one) || none() },
    { title: "p50", kind: "num", cell: (one) => (one.p50 > 0 ? seconds(one.p50) : none()) },
    { title: t("Last hour"), kind: "num", cell: (one) => lastHour(one) ?? none() },
    { title: t("Resumes"), kind: "nowrap", cell: (one) => (isPaused(one) ? resumes(one) : none()) },
  ], found, emptyMessage(), { isStacked: true }));
}

function emptyMessage() {
  if (!states.length) return t("No sources yet.");
  if (filter.value.trim() || which === "all") return t("No matching sources.");
  return which === "paused" ? t("No paused sources.") : t("No source is failing.");
}

/** Failing sources are first, then paused ones. */
const order = (one) => (one.failing ? 0 : ORDER[one.state] ?? 4);

const none = () => h("span", { class: "faint none" }, "–");

function reason(one) {
  if (!one.failing && !one.reason) return null;
  return [one.failing && `${toSentence(describeFailure(one.failing))} `, one.reason && h("span", { lang: langOf(one.reason) }, one.reason)];
}

function state(one) {
  const bad = (text) => h("span", { class: "badge bad" }, text);
  if (one.failing) return [bad(t("failing")), isPaused(one) && [" ", bad(t("paused"))]];
  if (isPaused(one)) return bad(t("paused"));
  if (one.state === "unknown") return h("span", { class: "badge quiet" }, t("not queried yet"));
  return h("span", { class: "badge" }, t("active"));
}

/** When a paused source is queried again, and a button that resumes it at once. */
function resumes(one) {
  return h("span", { class: "resumes" }, one.seconds > 0 ? t("in {time}", { time: timeLeft(one.seconds) }) : t("with the next search"),
    h("button", { type: "button", class: "soft small", onclick: () => reset(one) }, t("Resume now"), h("span", { class: "visually-hidden" }, ` ${one.name}`)));
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
