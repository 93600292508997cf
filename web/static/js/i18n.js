// Translations. The English text is the key.

const language = document.documentElement.lang || "en";
const table = language === "en" ? {} : await loadTranslations();

async function loadTranslations() {
  const response = await fetch(new URL(`../words/${language}.json`, import.meta.url));
  return response.ok ? response.json() : {};
}

/** Translates a sentence and fills in placeholders such as `{name}`. */
export function t(sentence, values = {}) {
  const found = table[sentence] ?? sentence;
  return found.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Translates a singular or a plural: `tn("one result", "{n} results", 3)`. */
export const tn = (single, many, n) => t(n === 1 ? single : many, { n: number(n) });

/** The locale of dates and numbers, the same as on pages that the server renders: `2 May 2024`. */
export const locale = language === "en" ? "en-GB" : language;
const numbers = new Intl.NumberFormat(locale);
const days = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const times = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

export const number = (value) => numbers.format(value);
export const day = (value) => days.format(new Date(value));
export const time = (value) => times.format(new Date(value));

/** A number with a fixed number of decimal places. */
export const fixed = (value, digits) => new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
/** A duration in seconds, from 10 seconds on without decimal places. */
export const seconds = (value) => (value === null || value === undefined ? "-" : `${fixed(value, value < 10 ? 2 : 0)} s`);
