// Translations. The English text is the key.

const { lang, dataset } = document.documentElement;
const language = lang || "en";
// Pages of the console have more texts.
const table = Object.assign({}, ...(await Promise.all(["", dataset?.words].filter((part) => part !== undefined).map(loadTranslations))));
let catalog = {};
let catalogLoaded;

/** A part of the texts of the language; without one, those of every page. English has none. */
async function loadTranslations(part) {
  if (language === "en") return {};
  const response = await fetch(new URL(`../words/${language}${part && `.${part}`}.json`, import.meta.url));
  return response.ok ? response.json() : {};
}

/** Loads the texts of tables of the service, for `tc`: settings, ready-made sources and plug-ins. */
export function loadCatalog() {
  catalogLoaded ??= loadTranslations("catalog").then((found) => (catalog = found), () => (catalogLoaded = undefined));
  return catalogLoaded;
}

/** Translates a text of a table. A text of an administrator stays as it is. */
export const tc = (text) => (Object.hasOwn(catalog, text) ? catalog[text] : text);

/** The attribute `lang` of an element with this text of a table: null if it is in the language of the page. */
export const langOf = (text) => (language === "en" || Object.hasOwn(catalog, text) ? null : "en");

/** Translates a sentence and fills in placeholders such as `{name}`. */
export function t(sentence, values = {}) {
  const found = table[sentence] ?? sentence;
  return found.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** The locale of dates and numbers, the same as on pages that the server renders: `2 May 2024`. */
export const locale = language === "en" ? "en-GB" : language;
const numbers = new Intl.NumberFormat(locale);
const plurals = new Intl.PluralRules(locale);
const days = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const times = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

export const number = (value) => numbers.format(value);

/** Translates a singular or a plural: `tn("one result", "{n} results", 3)`. Other forms have keys such as `{n} results|few`. */
export function tn(single, many, n) {
  const form = plurals.select(n);
  const special = `${many}|${form}`;
  return t(form === "one" ? single : special in table ? special : many, { n: number(n) });
}

export const day = (value) => days.format(new Date(value));
export const time = (value) => times.format(new Date(value));

/** A number with a fixed number of decimal places. */
export const fixed = (value, digits) => new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
const units = ["second", "minute"].map((unit) => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }));

/** The remaining time of a pause that is given in seconds: from two minutes on in minutes. */
export const timeLeft = (value) => (value < 120 ? units[0].format(Math.ceil(value)) : units[1].format(Math.ceil(value / 60)));

/** The number of seconds for a sentence; the API rounds short durations to zero. */
export const secondCount = (value) => (value < 0.1 ? `<${fixed(0.1, 1)}` : fixed(value, value < 10 ? 2 : 0));

/** A duration that is given in seconds: below a tenth of a second in milliseconds, from 10 seconds on without decimal places. */
export function seconds(value) {
  if (value === null || value === undefined) return "–";
  if (value > 0 && value < 0.1) return `${fixed(value * 1000, value < 0.001 ? 1 : 0)} ms`;
  return `${fixed(value, value > 0 && value < 10 ? 2 : 0)} s`;
}
