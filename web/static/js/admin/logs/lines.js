// Lines of a log file: their level, and which of them are shown.

/** The levels, the most severe first. */
export const LEVELS = ["ERROR", "WARN", "INFO", "DEBUG", "TRACE"];

/** Time, level and text of a line that is not JSON. */
const PARTS = /^(\d{4}-\S+Z)\s+(ERROR|WARN|INFO|DEBUG|TRACE)\s(.*)$/s;
const JSON_LEVEL = /^\{.*?"level":"(ERROR|WARN|INFO|DEBUG|TRACE)"/;
/** The spans of a line and the module that wrote it. */
const CONTEXT = /^\s*(?:(?:\w+(?:\{[^{}]*\})?:)+\s)?(?:\w+::?)+\s/;
/** The first of the fields after a message. */
const FIELD = /\s[a-z][\w.]*=(?=["\w-])/;
/** An answered request for a style, a script or a logo. Errors are not left out. */
const FILE_REQUEST = /\b(?:GET|HEAD) \/(?:static|branding)\/\S* answered (?:2\d\d|304)\b/;

/** `{time, level, text}` of a line; without a level, all of it is text. */
export function parseLine(line) {
  const [, time = "", level = JSON_LEVEL.exec(line)?.[1] ?? "", text = line] = PARTS.exec(line) ?? [];
  return { time, level, text };
}

/** `{before, message, after}` of the text of a line: what surrounds its message. Joined, they are the text. */
export function parseMessage(text) {
  const [before = ""] = CONTEXT.exec(text) ?? [];
  const rest = text.slice(before.length);
  const end = FIELD.exec(rest)?.index ?? rest.length;
  return { before, message: rest.slice(0, end), after: rest.slice(end) };
}

/**
 * The lines to show: at least as severe as `level`, with `text`, and without requests for files unless `withFiles`. A
 * line without a level continues the one before.
 * @param {string[]} lines
 * @param {{ level?: string, text?: string, withFiles?: boolean }} filter
 */
export function filterLines(lines, { level = "", text = "", withFiles = true }) {
  const least = LEVELS.indexOf(level);
  let isSevere = least < 0;
  return lines.filter((line) => {
    const own = LEVELS.indexOf(parseLine(line).level);
    if (least >= 0 && own >= 0) isSevere = own <= least;
    return isSevere && (withFiles || !FILE_REQUEST.test(line)) && (!text || line.toLowerCase().includes(text));
  });
}
