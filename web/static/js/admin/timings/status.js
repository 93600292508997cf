// Outcome of a source's part of a search as text.

import { t } from "../../i18n.js";

/** By the name in the API. */
const STATUSES = {
  ok: () => t("answered"),
  no_results: () => t("nothing found"),
  partial: () => t("incomplete"),
  timeout: () => t("timed out"),
  error: () => t("failed"),
  suspended: () => t("paused"),
  not_connected: () => t("not connected"),
};

/** The outcome; a source that has none yet is shown with a dash. */
export const describeSourceStatus = (status) => STATUSES[status]?.() ?? "–";
