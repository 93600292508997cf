// Advice on the dashboard when the database grows.

import { bytes } from "../bytes.js";
import { h } from "../dom.js";
import { number, t } from "../i18n.js";
import { card } from "./components.js";

const FOREVER = 0;
/** A smaller database needs no advice. */
const SMALL_BYTES = 2 ** 28;
const SOON_DAYS = 30;

/** A card with the next step, or null. */
export function storageAdvice({ default_retention: retention, storage }) {
  const isSoonFull = storage.full_in_days !== null && storage.full_in_days < SOON_DAYS;
  const isUndecided = retention === FOREVER && storage.database_bytes > SMALL_BYTES;
  if (!isSoonFull && !isUndecided) return null;
  const days = isSoonFull && h("p", {}, t("At this rate, the disk will be full in {days} days.", { days: number(Math.floor(storage.full_in_days)) }));
  const step = retention === FOREVER
    ? t("Searches are kept forever. Set SVC_DEFAULT_RETENTION=3 and restart the service to keep new searches for one month; saved and subscribed searches are not deleted.")
    : t("Free up disk space or lower SVC_DEFAULT_RETENTION.");
  return card(t("The database uses {size}", { size: bytes(storage.database_bytes) }), days, h("p", {}, step));
}
