// What the dashboard says of the database while its growth needs a decision.

import { bytes } from "../bytes.js";
import { h } from "../dom.js";
import { number, t } from "../words.js";
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
  const days = isShort && h("p", {}, t("If it grows on like this, the disk is full in {days} days.", { days: number(Math.floor(storage.full_in_days)) }));
  const step = retention === FOREVER
    ? t("Searches are kept for ever. Set SVC_DEFAULT_RETENTION=3 and start the service again to keep new ones for a month; saved and subscribed searches stay.")
    : t("Make room on the disk, or shorten SVC_DEFAULT_RETENTION.");
  return card(t("The database takes {size}", { size: bytes(storage.database_bytes) }), days, h("p", {}, step));
}
