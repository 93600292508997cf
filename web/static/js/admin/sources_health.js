// Why a source fails, in words, and since when. For the dashboard and the list of paused sources.

import { locale, t, time } from "../i18n.js";

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
