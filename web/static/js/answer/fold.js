// Folds the answer to a few lines. The choice is kept in a cookie, so that the server renders the next page alike.

import { one } from "../dom.js";

const COOKIE = "answer";
const YEAR_S = 365 * 24 * 3600;
/** Heights are rounded to whole pixels. */
const ROUNDING_PX = 1;

/** Shows the answer in full, or folded. */
export function setOpen(answer, isOpen) {
  answer.classList.toggle("folded", !isOpen);
  one("[data-fold]", answer).setAttribute("aria-expanded", String(isOpen));
  markClipped(answer);
}

/** Fades the end of the text if not all of it is shown. */
export function markClipped(answer) {
  const text = one(".prose", answer);
  text.classList.toggle("clipped", text.scrollHeight > text.clientHeight + ROUNDING_PX);
}

/** Opens or folds the answer, and remembers that. */
export function toggleFold(answer) {
  const isOpen = answer.classList.contains("folded");
  setOpen(answer, isOpen);
  document.cookie = `${COOKIE}=${isOpen ? "open" : "folded"}; path=/; max-age=${YEAR_S}; samesite=lax`;
}
