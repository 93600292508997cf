// A finished answer: its citations, passages, rating, and text for the clipboard. Loaded when there is one.

import { copy } from "../account/copy.js";
import { one } from "../dom.js";
import { t } from "../i18n.js";
import { toggleFold } from "./fold.js";
import { showPassages } from "./passages.js";
import { handleRatings } from "./rating.js";

export { markClipped, setOpen } from "./fold.js";

const POINTED_MS = 2400;

/** Handles every answer that is shown within `slot`. */
export function handleAnswers(slot) {
  showPassages(slot);
  handleRatings(slot, ".answer.done", (answer) => answer.dataset.ratingPath);
  slot.addEventListener("click", (event) => {
    const cite = event.target.closest("a[data-cite]");
    const copyButton = event.target.closest("[data-copy]");
    if (cite) goToResult(event, cite);
    else if (copyButton) copy(copyButton.dataset.copy, t("Answer copied."));
    else if (event.target.closest("[data-fold]")) toggleFold(event.target.closest(".answer"));
  });
}

/** Goes to the result of a citation. If it is on another page of the list, the link leads to the source in the card. */
function goToResult(event, cite) {
  const tile = document.getElementById(cite.hash.slice(1));
  const result = one(`.result[data-id="${tile?.dataset.result}"]`);
  if (!result) return;
  event.preventDefault();
  result.scrollIntoView({ block: "center", behavior: "smooth" });
  (one("h2 a, h3 a", result) ?? result).focus({ preventScroll: true });
  result.classList.add("pointed");
  setTimeout(() => result.classList.remove("pointed"), POINTED_MS);
}
