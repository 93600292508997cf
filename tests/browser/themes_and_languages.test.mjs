// Light and dark theme, and the languages.

import assert from "node:assert/strict";
import { api, browse, createUser } from "./harness/app.mjs";
import { PHONE, assertNarrow } from "./harness/narrow.mjs";
import { CONSOLE, waitUntilIdle } from "./harness/pages/console.mjs";
import { waitForResults, results, sourceLine } from "./harness/pages/search.mjs";
import { runSearch } from "./harness/records.mjs";

const newUser = () => createUser();

/** Brightness of the background, 0 to 255. */
const brightness = (page) =>
  page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
    return (red + green + blue) / 3;
  });

browse("the theme is that of the system, or the chosen one", { who: newUser }, async (page) => {
  await page.goto("/");
  assert.ok((await brightness(page)) > 200);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.ok((await brightness(page)) < 60);
  await page.locator("summary", { hasText: "Menu for" }).click();
  await page.getByLabel("Theme").selectOption("light");
  assert.ok((await brightness(page)) > 200, "the choice takes precedence");
  await page.goto("/history/");
  assert.ok((await brightness(page)) > 200, "and is stored");
});

browse("the language is that of the browser, or the chosen one", { who: newUser }, async (page) => {
  await page.goto("/");
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
  await page.locator("summary", { hasText: "Menu for" }).click();
  await page.getByLabel("Language").selectOption("de");
  await page.waitForFunction(() => document.documentElement.lang === "de");
  await page.getByRole("button", { name: "Suchen" }).waitFor();
  assert.deepEqual(await page.locator('[data-choose="language"] option').allTextContents(), ["English", "Deutsch", "Français"]);
});

/** Words that are on no page in another language. A source is a "source" in French too. */
const ENGLISH = /\b(the|your|with|results?|search|loading|filter by|choose|nothing|there is|sign out|save|delete)\b/i;
const LANGUAGES = { "de-DE": /\bsources?\b/i, "fr-FR": /\b(found|from)\b/i };

for (const [language, word] of Object.entries(LANGUAGES)) browse(`pages have no English texts (${language})`, { language }, async (page) => {
  const search = await runSearch("flood warning");
  const errors = [];
  // Texts of sources and administrators are not translated; descriptions name products, such as Brave Search.
  const untranslated = "article.result, .src, .facet, .recent, .search-row, a.query, .answer, code, pre, textarea, input, select, option, dd, td, kbd, time, .help, .toast, .chip, ul.ready h2, ul.ready li > p, ul.ready .visually-hidden, .badge, .log, caption, [aria-label=Dateien], [aria-label=Fichiers], [data-page=license] .card p";
  for (const path of ["/", `/?search_id=${search.id}`, "/history/", "/account/", "/chat/", "/review/", "/egress/", ...CONSOLE]) {
    await page.goto(path);
    await waitUntilIdle(page);
    assert.equal(await page.locator("html").getAttribute("lang"), language.slice(0, 2), path);
    const texts = await page.evaluate((skipped) => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const found = [];
      while (walker.nextNode()) {
        const parent = walker.currentNode.parentElement;
        if (!parent.closest(skipped) && !parent.closest("script, noscript, template") && parent.checkVisibility()) found.push(walker.currentNode.textContent.trim());
      }
      return found.filter((text) => /\p{L}{2}/u.test(text));
    }, untranslated);
    for (const text of texts) if (ENGLISH.test(text) || word.test(text)) errors.push(`${path}: ${text}`);
  }
  assert.deepEqual(errors.slice(0, 20), []);
});

for (const [language, text] of [["de-DE", "Der Port, an dem der Dienst"], ["fr-FR", "Le port d’écoute du service"]]) browse(`descriptions of tables are in the language of the page (${language})`, { language }, async (page) => {
  const [sources, settings, processors] = await Promise.all(["readysources", "settings", "processors"].map((name) => api("GET", `/svc/${name}/`)));
  const english = {
    "/admin/gallery/": sources.map((one) => one.description),
    "/admin/settings/": settings.map((one) => one.meaning.replaceAll("`", "")),
    "/admin/pipelines/new/": processors.map((one) => one.summary),
  };
  for (const [path, texts] of Object.entries(english)) {
    await page.goto(path);
    await waitUntilIdle(page);
    const shown = await page.locator("main").innerText();
    assert.deepEqual(texts.filter((text) => shown.includes(text)), [], path);
    assert.equal(await page.locator("main [lang=en]:not(option)").count(), 0, path);
  }
  await page.goto("/admin/settings/");
  await page.getByText(text).waitFor();
});

browse("a list in German", { language: "de-DE" }, async (page) => {
  const search = await runSearch("flood warning");
  await page.goto(`/?search_id=${search.id}`);
  await waitForResults(page);
  assert.match(await page.locator("#sum").innerText(), /^55 Treffer/);
  assert.match(await results(page).locator("time").first().innerText(), /^\d\d\.\d\d\.\d{4}$/);
});

browse("a list in French", { language: "fr-CA" }, async (page) => {
  const search = await runSearch("flood warning");
  await page.goto(`/?search_id=${search.id}`);
  await waitForResults(page);
  assert.equal(await page.locator("html").getAttribute("lang"), "fr");
  assert.match(await page.locator("#sum").innerText(), /^55 résultats/);
  await page.getByRole("button", { name: "Rechercher", exact: true }).waitFor();
  const day = /^\d{1,2} (janv\.|févr\.|mars|avr\.|mai|juin|juil\.|août|sept\.|oct\.|nov\.|déc\.) \d{4}$/;
  assert.match(await results(page).locator("time").first().innerText(), day);
  await page.locator("#facets input[name=author]").first().check();
  await page.locator(".chips .chip", { hasText: /Auteur\u00a0: \p{L}/u }).waitFor();
  await page.goto("/history/");
  await page.getByRole("heading", { level: 1, name: "Historique" }).waitFor();
});

browse("a list with details fits on a phone, with sources and filters", { ...PHONE }, async (page) => {
  const search = await runSearch("flood warning");
  await page.goto(`/?search_id=${search.id}`);
  await waitForResults(page);
  await assertNarrow(page, "a list");
  for (const summary of await results(page).first().locator("summary:visible").all()) await summary.click();
  await assertNarrow(page, "details");
  await page.getByRole("button", { name: /^Filters · \d+ of \d+ answered/ }).click();
  await sourceLine(page, "Library - Riverbend").getByRole("checkbox").waitFor();
  assert.ok((await page.locator(".facet:visible").count()) > 3, "the filters are on the page");
});
