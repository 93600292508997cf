// Dialog that finds documents to attach.

import { get } from "../api.js";
import { all, fill, h } from "../dom.js";
import { t } from "../i18n.js";
import { attachDocument } from "./attached_documents.js";

/** Removes the tags around matches and decodes entities. The result is always shown as text. */
const plain = (text) =>
  text
    .replace(/<\/?em>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&#(x27|39);/g, "'")
    .replace(/&amp;/g, "&");

export function openAttachDialog() {
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  const found = h("ul", { "aria-label": t("Results") });
  const note = h("p", { class: "muted", role: "status" }, t("Search for documents to attach."));
  const box = h("input", { type: "search", "aria-label": t("Search"), placeholder: t("Search all sources"), required: true, maxlength: 2048 });
  const attachButton = h("button", { type: "button", class: "go", disabled: true }, t("Attach selected"));
  const close = h("button", { type: "button", class: "soft", onclick: () => dialog.close() }, t("Cancel"));
  const form = h("form", { class: "find" }, box, h("button", { class: "soft" }, t("Search")));
  const dialog = h(
    "dialog",
    { class: "attach", "aria-labelledby": "attach-title" },
    h("h2", { id: "attach-title" }, t("Attach documents")), note, form, found,
    h("div", { class: "buttons" }, close, attachButton),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    note.textContent = t("Searching");
    try {
      const mixed = await get(`/search/?qs=${encodeURIComponent(box.value)}`);
      const rows = mixed.results.map((result) => row(mixed.info.search.id, result));
      fill(found, rows);
      note.textContent = rows.length ? t("Select the documents to attach.") : t("No results.");
    } catch (error) {
      note.textContent = error.message;
    }
    attachButton.disabled = true;
  });
  found.addEventListener("change", () => (attachButton.disabled = all(":checked", found).length === 0));
  attachButton.addEventListener("click", () => {
    for (const tick of all(":checked", found)) attachDocument(tick.value, tick.dataset.title);
    dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    before?.focus?.();
  });
  document.body.append(dialog);
  dialog.showModal();
  box.focus();
}

function row(search, result) {
  const title = plain(result.title) || t("Untitled");
  const tick = h("input", { type: "checkbox", value: `${search}:${result.swirl_id}`, "data-title": title });
  return h("li", null, h("label", null, tick, h("span", null, title), h("span", { class: "faint" }, result.searchprovider)));
}
