// The tiles of the dashboard: one figure each, with a sparkline or a sentence.

import { h } from "../../dom.js";
import { locale, number, seconds, t, timeLeft, tn } from "../../i18n.js";
import { spark } from "../charts/line.js";
import { HEALTH_PAGE } from "../sources_health.js";

const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
const share = (value) => (value === null || value === undefined ? "–" : percent.format(value));

/** `fullShares` has the share of searches that every source answered, by day. */
export function tileList(now, fullShares) {
  const over = (pick) => now.minutes.map(pick);
  return [
    tile(t("Searches today"), number(now.searches_today), spark(t("Searches in the last hour"), over((one) => one.searches), 0)),
    tile(t("p95 latency"), seconds(now.p95), spark(t("Search latency in the last hour"), over((one) => one.p95 ?? null), 2) ?? h("p", { class: "faint" }, t("95% of searches finished within this time."))),
    tile(t("Answered in full"), share(now.full_share), spark(t("Share of searches in which every source answered, 30 days"), fullShares, 5) ?? h("p", { class: "faint" }, t("Searches in which every source answered."))),
    tile(t("Paused sources"), number(now.resting.length), h("p", { class: "faint" }, sourcesLine(now))),
  ];
}

const tile = (name, value, extra) => h("div", { class: "tile" }, h("span", { class: "muted" }, name), h("b", { class: "num" }, value), extra);

function sourcesLine({ resting, failing }) {
  const link = (text) => h("a", { href: HEALTH_PAGE }, text);
  if (resting.length) return link(pausedLine(resting));
  if (failing.length) return link(tn("One source is failing.", "{n} sources are failing.", failing.length));
  return t("All sources are active.");
}

/** The source that is paused the longest, and the number of the others. */
function pausedLine(resting) {
  const [first, ...others] = [...resting].sort((one, other) => other.seconds - one.seconds);
  const name = first.seconds > 0 ? t("{name}, {time} left", { name: first.name, time: timeLeft(first.seconds) }) : first.name;
  return others.length ? `${name} ${t("and {n} more", { n: number(others.length) })}` : name;
}
