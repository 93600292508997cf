// Reads the Markdown of the OpenAPI document: paragraphs, lists, code, bold text and links. Everything else is text.

const FENCE = /^\s*```/;
const ITEM = /^\s*[-*] +/;
const INLINE = /(`+)(.+?)\1(?!`)|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^()\s]+)\)/g;
/** Links lead to the web, or to a place on this site. */
const LINK = /^(https?:\/\/|\/(?![/\\])|#)/i;

/** @typedef {{ kind: "text" | "code" | "strong" | "link", text: string, href?: string }} Span */
/** @typedef {{ kind: "paragraph", spans: Span[] } | { kind: "list", items: Span[][] } | { kind: "code", text: string }} Block */

/**
 * The blocks of a text.
 * @returns {Block[]}
 */
export function readBlocks(text) {
  const blocks = [];
  let lines = [];
  let code = null;
  const flush = () => {
    if (lines.length) blocks.push(readBlock(lines));
    lines = [];
  };
  for (const line of String(text ?? "").split("\n")) {
    if (FENCE.test(line)) {
      if (code) blocks.push({ kind: "code", text: code.join("\n") });
      else flush();
      code = code ? null : [];
    } else if (code) code.push(line);
    else if (!line.trim()) flush();
    else {
      if (lines.length && ITEM.test(line) && !ITEM.test(lines[0])) flush();
      lines.push(line);
    }
  }
  if (code) blocks.push({ kind: "code", text: code.join("\n") });
  flush();
  return blocks;
}

/** @returns {Block} */
function readBlock(lines) {
  if (!ITEM.test(lines[0])) return { kind: "paragraph", spans: readSpans(lines.map((line) => line.trim()).join(" ")) };
  const items = [];
  for (const line of lines) {
    if (ITEM.test(line)) items.push(line.replace(ITEM, "").trim());
    else items.push(`${items.pop()} ${line.trim()}`);
  }
  return { kind: "list", items: items.map(readSpans) };
}

/**
 * The parts of a line.
 * @returns {Span[]}
 */
export function readSpans(text) {
  const spans = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    if (found.index > at) spans.push({ kind: "text", text: text.slice(at, found.index) });
    spans.push(readMark(found));
    at = found.index + found[0].length;
  }
  if (at < text.length) spans.push({ kind: "text", text: text.slice(at) });
  return spans;
}

/** @returns {Span} */
function readMark([whole, , code, strong, text, href]) {
  if (code !== undefined) return { kind: "code", text: code.trim() };
  if (strong !== undefined) return { kind: "strong", text: strong };
  return LINK.test(href) ? { kind: "link", text, href } : { kind: "text", text: whole };
}
