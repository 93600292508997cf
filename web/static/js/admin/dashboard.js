// Dashboard: status tiles, live charts, recent changes.

import { get, prefix } from "../api.js";
import { fill, h } from "../dom.js";
import { fixed, locale, number, seconds, t, tn } from "../i18n.js";
import { columnChart, barChart } from "./charts/bars.js";
import { lineChart, spark } from "./charts/line.js";
import { card, errorAlert, table, work } from "./components.js";
import { actionsTable } from "./audit/table.js";
import { storageAdvice } from "./storage.js";

const REFRESH_MS = 5000;
const MINUTE_MS = 60_000;
const SOURCES_MAX = 8;

const share = (value) => (value === null || value === undefined ? "-" : `${fixed(value * 100, value === 1 ? 0 : 1)} %`);
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const dayShort = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });

const tiles = h("div", { class: "tiles" });
const live = h("div", { class: "cards", role: "group", "aria-label": t("The last hour") });
const month = h("div", { class: "cards" });
const below = h("div", { class: "cards" });
const failed = h("div");
const advice = h("div");
fill(work(), failed, advice, tiles, live, month, quickLinks(), below);

let last = "";
let lastNow = null;
let fullShares = [];
async function refresh() {
  try {
    const now = await get("/activity/now/");
    fill(failed);
    now.minutes = fillHour(now.minutes);
    const json = JSON.stringify(now);
    if (json === last) return;
    lastNow = now;
    fill(tiles, tileList(now));
    // Content that the user is reading is not replaced.
    if (live.contains(document.activeElement) || live.querySelector("details[open]")) return;
    last = json;
    fill(live, liveCards(now));
  } catch (error) {
    if (!failed.firstChild) fill(failed, errorAlert(error, refresh));
  }
}

/** All 60 minutes up to now; the API leaves out minutes without searches. */
function fillHour(minutes) {
  const known = new Map(minutes.map((one) => [Math.floor(Date.parse(one.minute) / MINUTE_MS), one]));
  const end = Math.max(Math.floor(Date.now() / MINUTE_MS), ...known.keys());
  return Array.from({ length: 60 }, (_, place) => {
    const minute = end - 59 + place;
    return known.get(minute) ?? { minute: minute * MINUTE_MS, searches: 0, errors: 0, p95: null };
  });
}

function tileList(now) {
  const { minutes } = now;
  const over = (pick) => minutes.map(pick);
  const paused = now.resting.slice(0, 3).map((one) => t("{name}, {seconds} s left", { name: one.name, seconds: number(one.seconds) }));
  return [
    tile(t("Searches today"), number(now.searches_today), spark(t("Searches in the last hour"), over((one) => one.searches), 0)),
    tile(t("p95 latency"), seconds(now.p95), spark(t("Search latency in the last hour"), over((one) => one.p95 ?? null), 2)),
    tile(t("Answered in full"), share(now.full_share), spark(t("Share of searches in which every source answered, 30 days"), fullShares, 5) ?? h("p", { class: "faint" }, t("Searches in which every source answered."))),
    tile(t("Paused sources"), number(now.resting.length), h("p", { class: "faint" }, paused.length ? h("a", { href: "/admin/breakers/" }, paused.join("; ")) : t("All sources are active."))),
  ];
}

const tile = (name, value, extra) => h("div", { class: "tile" }, h("span", { class: "muted" }, name), h("b", { class: "num" }, value), extra);

function liveCards(now) {
  const labels = now.minutes.map((one) => clock.format(new Date(one.minute)));
  const busiest = [...now.providers].sort((one, other) => (other.p95 ?? 0) - (one.p95 ?? 0)).slice(0, SOURCES_MAX);
  const hasErrors = now.minutes.some((one) => one.errors > 0);
  return [
    card(t("Searches per minute"), now.minutes.some((one) => one.searches > 0)
      ? lineChart(t("Searches per minute, last hour"), { labels, first: t("Minute"), isCount: true, series: [{ label: t("Searches"), color: 0, isFilled: true, values: now.minutes.map((one) => one.searches) }] })
      : h("p", { class: "note" }, t("This process ran no searches in the last hour. Searches by other processes and the command line are counted per day only."))),
    card(t("Latency by source"), busiest.length
      ? barChart(t("Latency by source, last hour"), { first: t("Source"), format: seconds, items: busiest.map((one) => ({ label: one.name, values: [one.p50 ?? null, one.p95 ?? null] })), series: [{ label: "p50", color: 0 }, { label: "p95", color: 3 }] })
      : h("p", { class: "note" }, t("This process queried no source in the last hour."))),
    card(t("Errors"), hasErrors
      ? columnChart(t("Errors per minute, last hour"), { labels, first: t("Minute"), series: [{ label: t("Errors"), color: 4, values: now.minutes.map((one) => one.errors) }] })
      : h("p", { class: "note" }, t("No source failed in this process in the last hour."))),
    card(t("Queues"), table(t("Queues"), [
      { title: t("Queue"), cell: (one) => one.queue },
      { title: t("Waiting"), kind: "num", cell: (one) => number(one.waiting) },
      { title: t("Active"), kind: "num", cell: (one) => number(one.active) },
      { title: t("Workers"), kind: "num", cell: (one) => number(one.workers) },
      { title: t("Health"), cell: (one) => (one.workers === 0 ? h("span", { class: "badge bad" }, t("no worker")) : one.waiting > one.capacity ? h("span", { class: "badge warn" }, t("busy")) : h("span", { class: "badge" }, t("good"))) },
    ], now.queues, t("No queues."))),
  ];
}

function monthCards(activity) {
  const labels = activity.days.map((one) => dayShort.format(new Date(one.day)));
  const top = [...activity.providers].sort((one, other) => other.asked - one.asked).slice(0, SOURCES_MAX);
  const { totals } = activity;
  return [
    card(t("Searches per day"), activity.days.some((one) => one.searches > 0)
      ? columnChart(t("Searches per day, 30 days"), { labels, first: t("Day"), series: [
        { label: t("with results"), color: 0, values: activity.days.map((one) => one.searches - one.futile) },
        { label: t("without results"), color: 3, values: activity.days.map((one) => one.futile) }] })
      : h("p", { class: "note" }, t("No searches in the last 30 days."))),
    card(t("Most-used sources"), top.length
      ? barChart(t("Most-used sources, 30 days"), { first: t("Source"), items: top.map((one) => ({ label: one.name, values: [one.asked] })), series: [{ label: t("Requests"), color: 0 }] })
      : h("p", { class: "note" }, t("No source was queried in the last 30 days."))),
    h("p", { class: "muted is-wide" }, tn("One search", "{n} searches", totals.searches), " · ", tn("one active source", "{n} active sources", totals.providers_active), " · ", tn("one result", "{n} results", totals.results), " · ", t("Version {version}", { version: totals.version })),
  ];
}

function quickLinks() {
  const links = [["/admin/doctor/", t("Add a source")], ["/admin/activity/", t("Activity")], ["/admin/cache/", t("Semantic cache")], ["/admin/logs/", t("Logs")], ["/", t("Search")], ["/admin/authenticators/", t("Authenticators")], [`${prefix}/query_transform_form/`, t("Upload query transforms")], [`${prefix}/api/docs/`, t("API")]];
  return h("nav", { class: "card links", "aria-label": t("Quick links") }, links.map(([href, label]) => h("a", { href }, label)));
}

async function loadOnce(place, path, draw) {
  try {
    fill(place, draw(await get(path)));
  } catch (error) {
    fill(place, h("div", { class: "is-wide" }, errorAlert(error, () => loadOnce(place, path, draw))));
  }
}

loadOnce(month, "/activity/?days=30", (activity) => {
  fill(advice, storageAdvice(activity.totals));
  fullShares = activity.days.map((one) => (one.searches ? one.full / one.searches : null));
  if (lastNow) fill(tiles, tileList(lastNow));
  return monthCards(activity);
});
loadOnce(below, "/audit/?items=8&page=1", (page) => [h("section", { class: "card is-wide" }, h("h2", {}, t("Recent changes")), actionsTable(page.results, t("No changes yet.")), h("p", {}, h("a", { href: "/admin/audit/" }, t("All changes"))))]);
refresh();
setInterval(() => document.visibilityState === "visible" && refresh(), REFRESH_MS);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && refresh());
