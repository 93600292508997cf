// Formats help text with inline code, and durations.

import { h } from "../../dom.js";
import { tn } from "../../i18n.js";

/** Text in which words in backticks are shown as code. */
export const withCode = (text) => text.split("`").map((piece, place) => (place % 2 ? h("code", {}, piece) : piece));

/**
 * Units of time, the longest first: their length in seconds, and their names.
 * @type {[number, (n: number) => string][]}
 */
export const UNITS = [
  [86400, (n) => tn("one day", "{n} days", n)],
  [3600, (n) => tn("one hour", "{n} hours", n)],
  [60, (n) => tn("one minute", "{n} minutes", n)],
  [1, (n) => tn("one second", "{n} seconds", n)],
];

/** Formats a number of seconds, such as `4 hours`. */
export function formatDuration(seconds) {
  const [unit, name] = UNITS.find(([unit]) => seconds >= unit && seconds % unit === 0) ?? UNITS.at(-1);
  return name(seconds / unit);
}
