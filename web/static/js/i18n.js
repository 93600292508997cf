// Translations. The English text is the key.

const language = document.documentElement.lang || "en";
const table = language === "en" ? {} : await read();

async function read() {
  const response = await fetch(new URL(`../words/${language}.json`, import.meta.url));
  return response.ok ? response.json() : {};
}

/** The sentence in this language; `{name}` is filled in. */
export function t(sentence, values = {}) {
  const found = table[sentence] ?? sentence;
  return found.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** One or many: `tn("one result", "{n} results", 3)`. */
export const tn = (single, many, n) => t(n === 1 ? single : many, { n: number(n) });

/** How days and figures are written: as the pages do that the service writes itself, `2 May 2024`. */
export const locale = language === "en" ? "en-GB" : language;
const numbers = new Intl.NumberFormat(locale);
const days = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const times = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

export const number = (value) => numbers.format(value);
export const day = (value) => days.format(new Date(value));
export const time = (value) => times.format(new Date(value));

/** A figure with so many digits behind the point. */
export const fixed = (value, digits) => new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
/** A span of time; what took long is said less exactly. */
export const seconds = (value) => (value === null || value === undefined ? "-" : `${fixed(value, value < 10 ? 2 : 0)} s`);
