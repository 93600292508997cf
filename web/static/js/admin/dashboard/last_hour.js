// The charts of the last hour, from this process.

import { h } from "../../dom.js";
import { locale, number, seconds, t } from "../../i18n.js";
import { barChart, columnChart } from "../charts/bars.js";
import { lineChart } from "../charts/line.js";
import { card, table } from "../components.js";
import { formOf } from "../sources_health.js";

const MINUTE_MS = 60_000;
const SOURCES_MAX = 8;
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const note = (sentence) => h("p", { class: "note" }, sentence);

/** All 60 minutes up to now; the API leaves out minutes without searches. */
export function fillHour(minutes) {
  const known = new Map(minutes.map((one) => [Math.floor(Date.parse(one.minute) / MINUTE_MS), one]));
  const end = Math.max(Math.floor(Date.now() / MINUTE_MS), ...known.keys());
  return Array.from({ length: 60 }, (_, place) => {
    const minute = end - 59 + place;
    return known.get(minute) ?? { minute: minute * MINUTE_MS, searches: 0, errors: 0, p95: null };
  });
}

export function hourCards(now) {
  const labels = now.minutes.map((one) => clock.format(new Date(one.minute)));
  return [
    card(t("Searches per minute"), searches(now, labels)),
    card(t("Latency by source"), latency(now)),
    card(t("Errors"), errors(now, labels)),
    card(t("Queues"), queues(now)),
  ];
}

function searches({ minutes }, labels) {
  if (!minutes.some((one) => one.searches > 0)) {
    return note(t("This process ran no searches in the last hour. Searches by other processes and the command line are counted per day only."));
  }
  const series = [{ label: t("Searches"), color: 0, isFilled: true, values: minutes.map((one) => one.searches) }];
  return lineChart(t("Searches per minute, last hour"), { labels, first: t("Minute"), isCount: true, series });
}

function latency({ providers }) {
  const slowest = [...providers].sort((one, other) => (other.p95 ?? 0) - (one.p95 ?? 0)).slice(0, SOURCES_MAX);
  if (!slowest.length) return note(t("This process queried no source in the last hour."));
  const items = slowest.map((one) => ({ label: one.name, values: [one.p50 ?? null, one.p95 ?? null] }));
  return barChart(t("Latency by source, last hour"), { first: t("Source"), format: seconds, items, series: [{ label: "p50", color: 0 }, { label: "p95", color: 3 }] });
}

function errors({ minutes, providers }, labels) {
  if (!minutes.some((one) => one.errors > 0)) return note(t("No source failed in this process in the last hour."));
  const series = [{ label: t("Errors"), color: 4, values: minutes.map((one) => one.errors) }];
  return [columnChart(t("Errors per minute, last hour"), { labels, first: t("Minute"), series }), failedSources(providers)];
}

/** The names behind the errors, those with the most errors first. */
function failedSources(providers) {
  const failed = providers.filter((one) => one.failed > 0).sort((one, other) => other.failed - one.failed).slice(0, SOURCES_MAX);
  const item = (one) => h("li", {}, h("a", { href: formOf(one.provider_id) }, one.name), " ",
    h("span", { class: "muted num" }, t("{failed} of {all} failed", { failed: number(one.failed), all: number(one.ok + one.failed) })));
  return failed.length > 0 && h("ul", { class: "failed-sources", "aria-label": t("Sources that failed") }, failed.map(item));
}

/** What the tasks of each queue do, by its name in the API. */
const QUEUES = {
  search: () => t("Searches"),
  page_fetch: () => t("Page fetching"),
  interactive: () => t("Requests of users"),
  health_check: () => t("Health checks"),
  maintenance: () => t("Maintenance"),
  corpus: () => t("Semantic cache"),
};

const queues = (now) => table(t("Queues"), [
  { title: t("Queue"), cell: (one) => [h("span", { title: one.queue }, QUEUES[one.queue]?.() ?? one.queue), " ", queueHealth(one)] },
  { title: t("Waiting"), kind: "num", cell: (one) => number(one.waiting) },
  { title: t("Active"), kind: "num", cell: (one) => number(one.active) },
  { title: t("Workers"), kind: "num", cell: (one) => number(one.workers) },
], now.queues, t("No queues."));

function queueHealth(one) {
  if (one.workers === 0) return h("span", { class: "badge bad" }, t("no worker"));
  if (one.waiting > one.capacity) return h("span", { class: "badge warn" }, t("busy"));
  return h("span", { class: "badge" }, t("good"));
}
