// Preview of a result as on the search page.

import { h } from "../../dom.js";
import { externalLink } from "../../externals.js";
import { day, t } from "../../i18n.js";

/** The preview of a result; `source` is the provider's name, or empty. */
export function resultPreview(result, source) {
  const isLink = /^https?:\/\//i.test(result.url ?? "");
  const title = result.title ? highlight(result.title) : t("Untitled");
  const date = result.date_published && result.date_published !== "unknown" ? formatDate(result.date_published) : "";
  return h("article", { class: "result-preview" },
    source && h("p", { class: "faint" }, source),
    h("p", { class: "result-preview-title" }, externalLink(result.url ?? "", title)),
    result.body && h("p", { class: "result-preview-text" }, highlight(result.body)),
    h("p", { class: "faint result-preview-meta" }, [date, result.author, isLink && host(result.url)].filter(Boolean).map((text) => h("span", {}, text))));
}

const formatDate = (date) => (Number.isNaN(Date.parse(date)) ? date : day(date));

const host = (url) => (URL.canParse(url) ? new URL(url).host : "");

/** Turns the `<em>` tags around matches into elements. */
function highlight(text) {
  return text.split(/(<em>.*?<\/em>)/s).map((piece) => (piece.startsWith("<em>") && piece.endsWith("</em>") ? h("mark", {}, piece.slice(4, -5)) : piece));
}
