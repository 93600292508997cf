// Preview of a result beside the list: its whole text with the matches marked. It follows the focus.

import { get } from "../api.js";
import { all, fill, h, one } from "../dom.js";
import { t } from "../i18n.js";
import { loadStyles } from "../load_styles.js";
import { markedParts } from "./marked_text.js";

const page = one("#page");
let shown = null;

export async function showPreview(result) {
  if (shown === result && one("#preview")) return;
  shown = result;
  await loadStyles("search_preview.css");
  if (shown !== result) return;
  const pane = one("#preview") ?? addPane();
  for (const other of all(".result.previewed")) other.classList.remove("previewed");
  result.classList.add("previewed");
  const text = h("div", { class: "preview-text", dir: "auto" }, all(".text", result).map((part) => part.cloneNode(true)));
  pane.scrollTop = 0;
  fill(one(".preview-body", pane), titleOf(result), ...all(".from, .cached", result).map((part) => part.cloneNode(true)), text);
  const id = Number(result.dataset.id);
  const found = id > 0 ? await get(`/results/${id}/`).catch(() => null) : null;
  if (found?.body && shown === result) fill(text, paragraphs(found.body));
}

/** Closes the preview. The focus returns to its result. */
export function hidePreview() {
  one("#preview")?.remove();
  for (const other of all(".result.previewed")) other.classList.remove("previewed");
  if (shown?.isConnected && !shown.contains(document.activeElement)) shown.focus({ preventScroll: true });
  shown = null;
}

function addPane() {
  const close = h("button", { type: "button", class: "plain", "aria-label": t("Close"), onclick: hidePreview }, "✕");
  const pane = h("aside", { id: "preview", class: "preview", "aria-label": t("Preview"), tabindex: "0" }, h("p", { class: "preview-head" }, h("span", null, t("Preview")), close), h("div", { class: "preview-body" }));
  page.append(pane);
  return pane;
}

function titleOf(result) {
  const link = one("h2 a", result);
  const marked = [...(link ?? one("h2", result)).childNodes].map((part) => part.cloneNode(true));
  return h("h2", { dir: "auto" }, link ? h("a", { href: link.href, rel: "noopener noreferrer" }, marked) : marked);
}

const paragraphs = (body) => body.split(/\n{2,}/).map((text) => h("p", { dir: "auto" }, markedParts(text).map((part) => (part.isMarked ? h("mark", null, part.text) : part.text))));

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented && one("#preview") && !one("dialog[open], details.menu[open]")) hidePreview();
});
document.addEventListener("focusin", ({ target }) => {
  const result = one("#preview") && /** @type {Element} */ (target).closest(".result");
  if (result && result !== shown) showPreview(result);
});
document.addEventListener("tributary:list", () => {
  if (!shown || shown.isConnected) return;
  const again = one(`.result[data-key="${shown.dataset.key}"]`);
  if (again) showPreview(again);
  else hidePreview();
});
