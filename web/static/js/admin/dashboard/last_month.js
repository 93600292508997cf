// The charts of the last 30 days, by all processes.

import { h } from "../../dom.js";
import { locale, t, tn } from "../../i18n.js";
import { barChart, columnChart } from "../charts/bars.js";
import { card } from "../components.js";

const SOURCES_MAX = 8;
const dayShort = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });

export function monthCards({ days, providers, totals }) {
  const top = [...providers].sort((one, other) => other.asked - one.asked).slice(0, SOURCES_MAX);
  return [
    card(t("Searches per day"), days.some((one) => one.searches > 0) ? searches(days) : h("p", { class: "note" }, t("No searches in the last 30 days."))),
    card(t("Most-used sources"), top.length
      ? barChart(t("Most-used sources, 30 days"), { first: t("Source"), items: top.map((one) => ({ label: one.name, values: [one.asked] })), series: [{ label: t("Requests"), color: 0 }] })
      : h("p", { class: "note" }, t("No source was queried in the last 30 days."))),
    h("p", { class: "muted is-wide" }, tn("One search", "{n} searches", totals.searches), " · ", tn("one active source", "{n} active sources", totals.providers_active), " · ", tn("one result", "{n} results", totals.results), " · ", t("Version {version}", { version: totals.version })),
  ];
}

function searches(days) {
  const labels = days.map((one) => dayShort.format(new Date(one.day)));
  return columnChart(t("Searches per day, 30 days"), { labels, first: t("Day"), series: [
    { label: t("with results"), color: 0, values: days.map((one) => one.searches - one.futile) },
    { label: t("without results"), color: 3, values: days.map((one) => one.futile) },
  ] });
}
