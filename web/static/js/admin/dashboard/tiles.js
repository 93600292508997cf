// The tiles of the dashboard: one figure each, with a sparkline or a sentence.

import { h } from "../../dom.js";
import { locale, number, seconds, t, timeLeft, tn } from "../../i18n.js";
import { spark } from "../charts/line.js";

const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
const share = (value) => (value === null || value === undefined ? "–" : percent.format(value));

/** `fullShares` has the share of searches that every source answered, by day. */
export function tileList(now, fullShares) {
  const over = (pick) => now.minutes.map(pick);
  return [
    tile(t("Searches today"), number(now.searches_today), spark(t("Searches in the last hour"), over((one) => one.searches), 0)),
    tile(t("p95 latency"), seconds(now.p95), spark(t("Search latency in the last hour"), over((one) => one.p95 ?? null), 2)),
    tile(t("Answered in full"), share(now.full_share), spark(t("Share of searches in which every source answered, 30 days"), fullShares, 5) ?? h("p", { class: "faint" }, t("Searches in which every source answered."))),
    tile(t("Paused sources"), number(now.resting.length), h("p", { class: "faint" }, sourcesLine(now))),
  ];
}

const tile = (name, value, extra) => h("div", { class: "tile" }, h("span", { class: "muted" }, name), h("b", { class: "num" }, value), extra);

function sourcesLine({ resting, failing }) {
  const paused = resting.slice(0, 3).map((one) => t("{name}, {time} left", { name: one.name, time: timeLeft(one.seconds) }));
  if (paused.length) return h("a", { href: "/admin/breakers/" }, paused.join("; "));
  if (failing.length) return h("a", { href: "/admin/breakers/" }, tn("One source is failing.", "{n} sources are failing.", failing.length));
  return t("All sources are active.");
}
