// Rating of an answer, with reasons if it was not helpful.

import { post } from "../api.js";
import { all, one, toast } from "../dom.js";
import { t } from "../i18n.js";

/** Handles the rating buttons within `root`. `pathOf` returns the API path for the element of an answer. */
export function handleRatings(root, selector, pathOf) {
  const send = async (answer, rating, reasons = [], comment = "") => {
    try {
      await post(pathOf(answer), { rating, reasons, comment });
    } catch (error) {
      toast(error.message, { bad: true });
      return false;
    }
    for (const thumb of all("[data-rate]", answer)) {
      thumb.setAttribute("aria-pressed", String(Number(thumb.dataset.rate) === rating));
    }
    return true;
  };
  root.addEventListener("click", async (event) => {
    const answer = event.target.closest(selector);
    if (!answer) return;
    const thumb = event.target.closest("[data-rate]");
    const reasons = one("form.reasons", answer);
    if (thumb) {
      const rating = Number(thumb.dataset.rate);
      reasons.hidden = rating > 0;
      if ((await send(answer, rating)) && rating > 0) toast(t("Thank you."));
      if (rating < 0) one("input", reasons).focus();
    } else if (event.target.closest("form.reasons [data-close]")) {
      reasons.hidden = true;
    }
  });
  root.addEventListener("submit", async (event) => {
    const form = event.target.closest("form.reasons");
    const answer = form?.closest(selector);
    if (!answer) return;
    event.preventDefault();
    const fields = new FormData(form);
    if (await send(answer, -1, fields.getAll("reason"), String(fields.get("comment") ?? ""))) {
      form.hidden = true;
      toast(t("Thank you. Your feedback helps improve answers."));
    }
  });
}
