// What the pages say, in the language of the page. The English sentence is the key.

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

const numbers = new Intl.NumberFormat(language);
const days = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
const times = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });

export const number = (value) => numbers.format(value);
export const day = (value) => days.format(new Date(value));
export const time = (value) => times.format(new Date(value));
