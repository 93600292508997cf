// The health of a source: whether and why it fails, whether it is paused, and its requests in the last hour. For the
// dashboard, the list of sources and the page of their health.

import { h } from "../dom.js";
import { locale, number, t, time, timeLeft } from "../i18n.js";

/** The page with the health of all sources. */
export const HEALTH_PAGE = "/admin/breakers/";

const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** The reason by the code of an error: a part of a sentence. */
const REASONS = {
  config_invalid: () => t("wrong configuration"),
  address_refused: () => t("address not allowed"),
  denied: () => t("key or password refused"),
  secrets_unreadable: () => t("stored key not readable"),
  place_unknown: () => t("table, index or path not found"),
  untrusted: () => t("certificate not trusted"),
  timeout: () => t("timing out"),
  unavailable: () => t("unavailable"),
  unreadable: () => t("response not readable"),
  source_error: () => t("reporting an error"),
};

/** Such as `key or password refused since 06:04`. */
export function describeFailure({ code, since }) {
  const reason = REASONS[code]?.() ?? t("failing");
  return t("{reason} since {when}", { reason, when: isToday(since) ? clock.format(new Date(since)) : time(since) });
}

const isToday = (moment) => new Date(moment).toDateString() === new Date().toDateString();

/** The form of the source, where its settings can be corrected and tested. */
export const formOf = (id) => `/admin/searchproviders/${id}/`;

/** A paused source is not queried, or only by a single request that checks whether it has recovered. */
export const isPaused = (one) => one.state !== "closed" && one.state !== "unknown";

/** Badges of a source that fails or is paused, with links to the page that says why. */
export function healthBadges(state) {
  if (!state) return null;
  const badge = (text, title) => h("a", { class: "badge bad", href: HEALTH_PAGE, title }, text);
  return [
    state.failing && badge(t("failing"), describeFailure(state.failing)), " ",
    isPaused(state) && badge(state.seconds > 0 ? t("paused, {time} left", { time: timeLeft(state.seconds) }) : t("paused"), state.reason || null),
  ];
}

/** The successful and failed requests of the last hour, or null if there were none. */
export function lastHour({ ok = 0, failed = 0 } = {}) {
  if (!ok && !failed) return null;
  const failures = failed > 0 && h("span", { class: "failed" }, t("{n} failed", { n: number(failed) }));
  return h("span", { class: "num" }, ok > 0 && t("{n} ok", { n: number(ok) }), ok > 0 && failures ? ", " : null, failures);
}
