// The text of an unfinished answer: the words of its Markdown, as the finished answer shows them. The server reads the
// finished text (crates/rag/src/prose); the unit tests compare both.

const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;
const FENCE = /^\s*(?:(`{3,})[^`]*|(~{3,}).*)$/;
/** A line that separates, or underlines a text. */
const RULE = /^\s*(?:([-*_])(?:\s*\1){2,}|=+)\s*$/;
/** The line below the head of a table, also if it is not complete. */
const DELIMITERS = /^(?=.*\|)[\s|:-]+$/;
const ROW = /^\s*\|(.*)$/;
const HEADING = /^(\s{0,3})#{1,6} +(.*?)(?: +#+)?\s*$/;
const ESCAPED = /\\([!-/:-@[-`{-~])/g;
const MARKS = /`+|\*+|_+/g;
const IN_WORD = /[\p{L}\p{N}]/u;
/** Scripts that are written without spaces, and the particles of Korean. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
/** Escaped characters are moved to this private range while marks are removed. */
const PRIVATE = 0xe000;

/** The words of a Markdown text that may end anywhere. Cells of a table are separated by tabs. */
export function stripMarkdown(text) {
  const lines = [];
  let fence = "";
  for (const line of text.replace(DIRECTIONS, "").split("\n")) {
    const found = FENCE.exec(line);
    const mark = found?.[1] ?? found?.[2] ?? "";
    if (fence) {
      if (mark.startsWith(fence) && line.trim() === mark) fence = "";
      else lines.push(line);
    } else if (mark) fence = mark;
    else if (!RULE.test(line) && !DELIMITERS.test(line)) lines.push(words(line));
  }
  return lines.join("\n");
}

/** The words of a line. */
function words(line) {
  const hidden = line.replace(ESCAPED, (_, sign) => String.fromCharCode(PRIVATE + sign.charCodeAt(0)));
  const row = ROW.exec(hidden);
  const cells = row ? row[1].trim().replace(/\|$/, "").split("|") : [block(hidden)];
  const shown = cells.map((cell) => inline(cell).trimEnd()).map((cell) => (row ? cell.trim() : cell)).join("\t");
  return shown.replace(/[\ue000-\ue07f]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - PRIVATE));
}

const block = (line) => line.replace(HEADING, "$1$2").replace(/^(\s*)> ?/, "$1").replace(/^(\s*)[*+-] /, "$1• ");

/** A text without the marks of code, bold and emphasis. Marks within words and between spaces are text, as in `2*3`. */
function inline(text) {
  const parts = [];
  let at = 0;
  let isOpen = false;
  for (const found of text.matchAll(MARKS)) {
    const [mark] = found;
    if (found.index < at) continue;
    parts.push(text.slice(at, found.index));
    at = found.index + mark.length;
    const code = mark[0] === "`" ? codeFrom(text, at, mark) : null;
    const before = text.slice(0, found.index).at(-1) ?? "";
    const after = text[at] ?? "";
    if (code !== null) {
      parts.push(code.trim());
      at += code.length + mark.length;
    } else if (mark[0] !== "`" && isText(mark, before, after, isOpen)) parts.push(mark);
    else isOpen = mark[0] === "*" ? !isOpen : isOpen;
  }
  parts.push(text.slice(at));
  return parts.join("").replace(/ ?\[(\d{1,4})\]/g, " [$1]");
}

/** The code between two equal runs of backticks; null if it is not closed. */
function codeFrom(text, start, mark) {
  for (const end of text.slice(start).matchAll(/`+/g)) if (end[0] === mark) return text.slice(start, start + end.index);
  return null;
}

function isText(mark, before, after, isOpen) {
  const isInWord = (sign) => IN_WORD.test(sign) && (mark[0] === "_" || !UNSPACED.test(sign));
  if (isInWord(before) && isInWord(after)) return mark[0] === "_" || !isOpen;
  return !before.trim() && !after.trim();
}
