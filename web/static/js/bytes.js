// Formats a number of bytes.

import { number } from "./i18n.js";

/** @type {[number, string][]} */
const UNITS = [[2 ** 30, "GB"], [2 ** 20, "MB"], [2 ** 10, "kB"]];

export function bytes(count) {
  const [unit, name] = UNITS.find(([size]) => count >= size) ?? [1, "B"];
  const value = count / unit;
  return `${number(value < 10 && unit > 1 ? Math.round(value * 10) / 10 : Math.round(value))} ${name}`;
}
