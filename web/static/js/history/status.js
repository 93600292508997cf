// Status of a search or a run as text.

import { t } from "../i18n.js";

const STATUSES = {
  FULL_RESULTS_READY: ["good", () => t("All sources answered")],
  FULL_UPDATE_READY: ["good", () => t("Updated, all sources answered")],
  PARTIAL_RESULTS_READY: ["warn", () => t("Not all sources answered")],
  PARTIAL_UPDATE_READY: ["warn", () => t("Updated, not all sources answered")],
  ERR_NO_QUERY_STRING: ["bad", () => t("Empty query")],
  ERR_NO_SEARCHPROVIDERS: ["bad", () => t("No source available")],
  ERR_PRE_QUERY_PROCESSING: ["bad", () => t("Query processing failed")],
  ERR_RUN_FAILED: ["bad", () => t("The search failed")],
};

/** A status as `{kind, words}`; the kind is `good`, `warn`, `bad` or `busy`. */
export function describeStatus(status) {
  const [kind, words] = STATUSES[status] ?? ["busy", () => t("Searching")];
  return { kind, words: words() };
}

export const isBusy = (status) => !(status in STATUSES);
