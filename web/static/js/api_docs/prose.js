// Shows the Markdown of the OpenAPI document as elements.

import { h } from "../dom.js";
import { readBlocks, readSpans } from "./markdown.js";

/** A text with several blocks, as elements. */
export const prose = (text) => readBlocks(text).map(showBlock);

/** A text of one line, as nodes. */
export const line = (text) => readSpans(String(text ?? "").replace(/\s+/g, " ").trim()).map(showSpan);

function showBlock(block) {
  if (block.kind === "code") return h("pre", { class: "wrapped" }, h("code", {}, block.text));
  if (block.kind === "list") return h("ul", {}, block.items.map((spans) => h("li", {}, spans.map(showSpan))));
  return h("p", {}, block.spans.map(showSpan));
}

/** @param {import("./markdown.js").Span} span */
function showSpan({ kind, text, href }) {
  if (kind === "code") return h("code", {}, text);
  if (kind === "strong") return h("strong", {}, text);
  if (kind === "link") return h("a", { href, rel: "noopener noreferrer" }, text);
  return document.createTextNode(text);
}
