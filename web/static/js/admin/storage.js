// Advice on the dashboard when the database grows.

import { bytes } from "../bytes.js";
import { h } from "../dom.js";
import { number, t } from "../i18n.js";
import { card } from "./parts.js";

const FOREVER = 0;
/** Less than this is no reason to decide anything. */
const LITTLE_BYTES = 2 ** 28;
const SHORT_DAYS = 30;

/** A card with the next step, or nothing. */
export function storageAdvice({ default_retention: retention, storage }) {
  const isShort = storage.full_in_days !== null && storage.full_in_days < SHORT_DAYS;
  const isUndecided = retention === FOREVER && storage.database_bytes > LITTLE_BYTES;
  if (!isShort && !isUndecided) return null;
  const days = isShort && h("p", {}, t("At this rate, the disk will be full in {days} days.", { days: number(Math.floor(storage.full_in_days)) }));
  const step = retention === FOREVER
    ? t("Searches are kept forever. Set SVC_DEFAULT_RETENTION=3 and restart the service to keep new searches for one month; saved and subscribed searches are not deleted.")
    : t("Free up disk space or lower SVC_DEFAULT_RETENTION.");
  return card(t("The database uses {size}", { size: bytes(storage.database_bytes) }), days, h("p", {}, step));
}
