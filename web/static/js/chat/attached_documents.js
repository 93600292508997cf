// Attached documents: chips above the message.

import { all, h, one, toast } from "../dom.js";
import { t } from "../i18n.js";

const list = () => one(".attached");

/** The attached documents in the form of the API: `[{search_id, swirl_id}]`. */
export function attachedDocuments() {
  return all("[data-document]", list()).map((chip) => {
    const [search, result] = chip.dataset.document.split(":").map(Number);
    return { search_id: search, swirl_id: result };
  });
}

/** Attaches a document, given as `search:result`. */
export function attachDocument(document, title) {
  if (all("[data-document]", list()).some((chip) => chip.dataset.document === document)) return;
  const most = Number(list().dataset.max);
  if (attachedDocuments().length >= most) {
    toast(t("You can attach at most {n} documents.", { n: most }), { bad: true });
    return;
  }
  const name = title || t("Untitled");
  const removeButton = h("button", { type: "button", class: "plain", "aria-label": t("Remove {title}", { title: name }) }, "×");
  list().append(h("li", { "data-document": document }, h("span", null, name), removeButton));
  list().hidden = false;
}

/** Removes chips on click. */
export function handleClicks() {
  list().addEventListener("click", (event) => {
    const chip = event.target.closest("button")?.closest("li");
    if (!chip) return;
    chip.remove();
    list().hidden = attachedDocuments().length === 0;
    one(".compose textarea").focus();
  });
}
