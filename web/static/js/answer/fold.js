// Folds the answer to a few lines. The choice is kept in a cookie, so that the server renders the next page alike.

import { one } from "../dom.js";

const COOKIE = "answer";
const YEAR_S = 365 * 24 * 3600;

/** Shows the answer in full, or folded. */
export function setOpen(answer, isOpen) {
  answer.classList.toggle("folded", !isOpen);
  one("[data-fold]", answer).setAttribute("aria-expanded", String(isOpen));
}

/** Opens or folds the answer, and remembers that. */
export function toggleFold(answer) {
  const isOpen = answer.classList.contains("folded");
  setOpen(answer, isOpen);
  document.cookie = `${COOKIE}=${isOpen ? "open" : "folded"}; path=/; max-age=${YEAR_S}; samesite=lax`;
}
