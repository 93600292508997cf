// Preview of a result as on the search page.

import { h } from "../../dom.js";
import { externalLink } from "../../externals.js";
import { day, t } from "../../i18n.js";

/** `source` is the provider's name; empty while there is none. */
export function looksLike(result, source) {
  const isLink = /^https?:\/\//i.test(result.url ?? "");
  const title = result.title ? marked(result.title) : t("Untitled");
  const date = result.date_published && result.date_published !== "unknown" ? spoken(result.date_published) : "";
  return h("article", { class: "looks" },
    source && h("p", { class: "faint" }, source),
    h("p", { class: "looks-title" }, externalLink(result.url ?? "", title)),
    result.body && h("p", { class: "looks-text" }, marked(result.body)),
    h("p", { class: "faint looks-meta" }, [date, result.author, isLink && host(result.url)].filter(Boolean).map((text) => h("span", {}, text))));
}

const spoken = (date) => (Number.isNaN(Date.parse(date)) ? date : day(date));

const host = (url) => (URL.canParse(url) ? new URL(url).host : "");

/** The words that were found stand between marks. */
function marked(text) {
  return text.split(/(<em>.*?<\/em>)/s).map((piece) => (piece.startsWith("<em>") && piece.endsWith("</em>") ? h("mark", {}, piece.slice(4, -5)) : piece));
}
