// Languages: each file of web/words/ has the formats and plurals of browsers, which the scripts of the pages use.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const FOLDER = new URL("../../../web/words/", import.meta.url);
const CODES = readdirSync(FOLDER).map((name) => name.replace(".json", ""));
const read = (code) => JSON.parse(readFileSync(new URL(`${code}.json`, FOLDER), "utf8"));
/** What is missing in `@language` is as in English. */
const ENGLISH = { decimal: ".", thousands: ",", grouped_from: 1000, date: "{d} {month} {yyyy}", months: [], plurals: { one: "n = 1" } };

let loads = 0;
/** What the module has fetched. */
let fetched = [];

/** The module as a page in a language loads it; `words` is `console` in the console. */
async function load(code, words) {
  const { "@catalog": catalog, "@language": _, ...texts } = code === "en" ? { "@catalog": {} } : read(code);
  const documents = { [`${code}.json`]: texts, [`${code}.console.json`]: { Console: "in the console" }, [`${code}.catalog.json`]: catalog };
  globalThis.document = /** @type {any} */ ({ documentElement: { lang: code, dataset: words ? { words } : {} } });
  fetched = [];
  globalThis.fetch = /** @type {any} */ (async (url) => {
    const name = new URL(url).pathname.split("/").pop();
    fetched.push(name);
    return { ok: name in documents, json: async () => documents[name] };
  });
  loads += 1;
  return import(`../../../web/static/js/i18n.js?${loads}`);
}

/** A date as the service writes it. */
function dateOf(format, day) {
  const [d, m, yyyy] = [day.getDate(), day.getMonth() + 1, day.getFullYear()].map(String);
  const values = { d, dd: d.padStart(2, "0"), m, mm: m.padStart(2, "0"), month: format.months[day.getMonth()], yyyy };
  return format.date.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

for (const code of CODES) {
  test(`${code} has the formats of browsers`, async () => {
    const format = { ...ENGLISH, ...read(code)["@language"] };
    const i18n = await load(code);
    assert.equal(i18n.locale, code);
    for (let month = 0; month < 12; month += 1) {
      const day = new Date(2023, month, 2);
      assert.equal(dateOf(format, day), i18n.day(day));
    }
    assert.equal(i18n.fixed(0.97, 2), `0${format.decimal}97`);
    assert.equal(i18n.number(2_318_000), ["2", "318", "000"].join(format.thousands));
    assert.equal(i18n.number(format.grouped_from), `${format.grouped_from}`.replace(/(?=\d{3}$)/, format.thousands));
    assert.ok(!i18n.number(format.grouped_from - 1).includes(format.thousands));
    // The rules are checked in Rust; here only the categories. CLDR has `many` for millions, which a language may leave out.
    const categories = new Set(Array.from({ length: 200 }, (_, n) => new Intl.PluralRules(code).select(n)));
    assert.deepEqual(Object.keys(format.plurals).sort(), [...categories].filter((category) => category !== "other").sort());
  });
}

test("all languages have the same texts", () => {
  const texts = (code) => Object.keys(read(code)).filter((key) => !key.includes("|"));
  const catalog = (code) => Object.keys(read(code)["@catalog"]);
  for (const code of CODES) {
    assert.deepEqual(texts(code), texts(CODES[0]), code);
    assert.deepEqual(catalog(code), catalog(CODES[0]), code);
  }
});

test("texts are translated with the plural of the language", async () => {
  const french = await load("fr");
  assert.equal(french.t("Sign in"), "Se connecter");
  assert.equal(french.t("Menu for {user}", { user: "Ada" }), "Menu pour Ada");
  assert.equal(french.t("Not a text of the pages"), "Not a text of the pages");
  const results = [0, 1, 2, 2318].map((n) => french.tn("one result", "{n} results", n));
  assert.deepEqual(results, ["0 résultat", "1 résultat", "2 résultats", "2\u202f318 résultats"]);
});

test("the console loads its texts too, and the catalog is loaded once and on demand", async () => {
  await load("fr");
  assert.deepEqual(fetched, ["fr.json"]);
  const french = await load("fr", "console");
  assert.deepEqual(fetched, ["fr.json", "fr.console.json"]);
  assert.equal(french.t("Console"), "in the console");
  const text = "The port to listen on; 0 picks a free port.";
  assert.deepEqual([french.tc(text), french.langOf(text)], [text, "en"]);
  await Promise.all([french.loadCatalog(), french.loadCatalog()]);
  assert.deepEqual(fetched, ["fr.json", "fr.console.json", "fr.catalog.json"]);
  assert.deepEqual([french.tc(text), french.langOf(text)], ["Le port d’écoute du service\u202f; 0 choisit un port libre.", null]);
  for (const own of ["A source of ours.", "constructor"]) assert.deepEqual([french.tc(own), french.langOf(own)], [own, "en"]);
  const english = await load("en", "console");
  await english.loadCatalog();
  assert.deepEqual([fetched, english.tc(text), english.langOf(text)], [[], text, null]);
});
