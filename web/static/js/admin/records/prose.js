// Help text with inline code, and durations.

import { h } from "../../dom.js";
import { tn } from "../../i18n.js";

/** A sentence whose `words` in backticks are shown as code. */
export const prose = (text) => text.split("`").map((piece, place) => (place % 2 ? h("code", {}, piece) : piece));

/**
 * Lengths of time, the longest first: seconds, and how they are said.
 * @type {[number, (n: number) => string][]}
 */
export const SPANS = [
  [86400, (n) => tn("one day", "{n} days", n)],
  [3600, (n) => tn("one hour", "{n} hours", n)],
  [60, (n) => tn("one minute", "{n} minutes", n)],
  [1, (n) => tn("one second", "{n} seconds", n)],
];

/** Seconds as people say them, such as `4 hours`. */
export function span(seconds) {
  const [unit, say] = SPANS.find(([unit]) => seconds >= unit && seconds % unit === 0) ?? SPANS.at(-1);
  return say(seconds / unit);
}
