// Activity page: search volume, sources used, searches without results, answer ratings.

import { fill, h } from "../dom.js";
import { locale, number, secondCount, seconds, t, time, tn } from "../i18n.js";
import { columnChart } from "./charts/bars.js";
import { lineChart } from "./charts/line.js";
import { card, segments, loadInto, table, work } from "./components.js";

const DAYS = ["7", "30", "90"];
/** Rows of a table before "Show all". */
const ROWS_MAX = 15;
const dayShort = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });

const place = h("div");
fill(work(), h("div", { class: "tools" }, segments(t("Period"), DAYS.map((days) => [days, t("{n} days", { n: days })]), "30", load)), place);
load("30");

function load(days) {
  return loadInto(place, `/activity/?days=${days}`, draw);
}

function draw(activity) {
  return [volume(activity), providers(activity.providers), futile(activity), ratings(activity.ratings)];
}

function volume({ days, totals }) {
  const labels = days.map((one) => dayShort.format(new Date(one.day)));
  if (!days.some((one) => one.searches > 0)) return card(t("Volume"), h("p", { class: "note" }, t("No searches in this period.")));
  return h("div", { class: "cards" },
    card(t("Searches per day"), h("p", { class: "muted" }, tn("One search", "{n} searches", totals.searches), ", ", tn("one result", "{n} results", totals.results)),
      columnChart(t("Searches per day"), { labels, first: t("Day"), series: [
        { label: t("with results"), color: 0, values: days.map((one) => one.searches - one.futile) },
        { label: t("without results"), color: 3, values: days.map((one) => one.futile) }] })),
    card(t("Search latency"), h("p", { class: "muted" }, t("95% of searches finished within this time.")),
      lineChart(t("p95 search latency per day"), { labels, first: t("Day"), format: seconds, series: [{ label: "p95", color: 2, values: days.map((one) => one.p95 ?? null) }] })));
}

/** A duration of the statistics, which are rounded to tenths of a second. */
const rounded = (value) => (value === 0 ? `${secondCount(value)} s` : seconds(value));

/** The first rows of a table, with a button for the others; `draw` makes the table of some rows. */
function firstRows(rows, draw) {
  const place = h("div", { class: "first-rows" });
  const showAll = () => {
    fill(place, draw(rows));
    place.querySelector(".scroller").focus();
  };
  return fill(place, draw(rows.slice(0, ROWS_MAX)), rows.length > ROWS_MAX && h("p", {}, h("button", { type: "button", class: "soft small", onclick: showAll }, t("Show all {n}", { n: number(rows.length) }))));
}

const providers = (list) => card(t("Sources used"), firstRows([...list].sort((one, other) => other.asked - one.asked), (rows) => table(t("Sources used"), [
  { title: t("Source"), cell: (one) => h("a", { href: `/admin/searchproviders/${one.provider_id}/` }, one.name) },
  { title: t("Requests"), kind: "num", cell: (one) => number(one.asked) },
  { title: t("Answered"), kind: "num", cell: (one) => number(one.ok) },
  { title: t("Failed"), kind: "num", cell: (one) => h("span", { class: one.failed > 0 ? "failed" : null }, number(one.failed)) },
  { title: t("Timed out"), kind: "num", cell: (one) => number(one.timed_out) },
  { title: "p50", kind: "num", cell: (one) => rounded(one.p50) },
  { title: "p95", kind: "num", cell: (one) => rounded(one.p95) },
  { title: t("Results"), kind: "num", cell: (one) => number(one.retrieved) },
], rows, t("No source was queried in this period."), { isStacked: true })));

/** Searches are private: queries are shown only if the settings allow it, and never with a user name. */
function futile({ shows_queries: showsQueries, futile: list, days }) {
  const count = days.reduce((sum, one) => sum + one.futile, 0);
  const found = showsQueries ? firstRows(list, (rows) => table(t("Searches without results"), [
    { title: t("Query"), cell: (one) => h("a", { class: "query", title: one.query, href: `/?q=${encodeURIComponent(one.query)}` }, h("bdi", {}, one.query)) },
    { title: t("Searches"), kind: "num", cell: (one) => number(one.searches) },
    { title: t("Last searched"), kind: "nowrap", cell: (one) => dayShort.format(new Date(one.day)) },
  ], rows, t("Every search returned results."), { isStacked: true })) : h("p", { class: "muted" }, t("Queries are private. Set SVC_ACTIVITY_SHOWS_QUERIES to list them here, without user names."));
  return card(t("Searches without results"), h("p", {}, tn("One search", "{n} searches", count)), found);
}

const ratings = (list) => card(t("Answer ratings"), firstRows(list, (rows) => table(t("Answer ratings"), [
  { title: t("Rating"), cell: (one) => (one.rating > 0 ? h("span", { class: "badge" }, t("good")) : h("span", { class: "badge bad" }, t("bad"))) },
  { title: t("Type"), cell: (one) => (one.kind === "chat" ? t("chat") : t("summary")) },
  { title: t("Reasons"), cell: (one) => (one.reasons ?? []).join(", ") || "–" },
  { title: t("Model"), cell: (one) => one.model || "–" },
  { title: t("Date"), kind: "nowrap", cell: (one) => time(one.date) },
], rows, t("No answers were rated in this period."), { isStacked: true })));
