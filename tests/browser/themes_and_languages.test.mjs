// Light and dark theme, English and German.

import assert from "node:assert/strict";
import { browse, createUser } from "./harness/app.mjs";
import { PHONE, assertNarrow } from "./harness/narrow.mjs";
import { CONSOLE, waitUntilIdle } from "./harness/pages/console.mjs";
import { waitForResults, results } from "./harness/pages/search.mjs";
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
});

/** Words that are on no German page. */
const ENGLISH = /\b(the|your|with|results?|sources?|search|loading|filter by|choose|nothing|there is|sign out|save|delete)\b/i;

browse("German pages have no English texts", { language: "de-DE" }, async (page) => {
  const search = await runSearch("flood warning");
  const errors = [];
  // Texts of sources, administrators and the API are not translated.
  const untranslated = "article.result, .src, .facet, .recent, .search-row, .answer, code, pre, textarea, input, select, option, dd, td, kbd, time, .help, .toast, .chip, ul.ready h2, ul.ready li > p, ul.ready .visually-hidden, .badge, .log, caption, [aria-label=Dateien], [data-page=license] .card p";
  for (const path of ["/", `/?search_id=${search.id}`, "/history/", "/account/", "/chat/", ...CONSOLE]) {
    await page.goto(path);
    await waitUntilIdle(page);
    assert.equal(await page.locator("html").getAttribute("lang"), "de", path);
    const texts = await page.evaluate((skipped) => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const found = [];
      while (walker.nextNode()) {
        const parent = walker.currentNode.parentElement;
        if (!parent.closest(skipped) && !parent.closest("script, noscript, template") && parent.checkVisibility()) found.push(walker.currentNode.textContent.trim());
      }
      return found.filter((text) => /\p{L}{2}/u.test(text));
    }, untranslated);
    for (const text of texts) if (ENGLISH.test(text)) errors.push(`${path}: ${text}`);
  }
  assert.deepEqual(errors.slice(0, 20), []);
});

browse("a list in German", { language: "de-DE" }, async (page) => {
  const search = await runSearch("flood warning");
  await page.goto(`/?search_id=${search.id}`);
  await waitForResults(page);
  assert.match(await page.locator("#sum").innerText(), /^55 Treffer/);
  assert.match(await results(page).locator("time").first().innerText(), /^\d\d\.\d\d\.\d{4}$/);
});

browse("a list with details fits on a phone, with sources and filters", { ...PHONE }, async (page) => {
  const search = await runSearch("flood warning");
  await page.goto(`/?search_id=${search.id}`);
  await waitForResults(page);
  await assertNarrow(page, "a list");
  for (const summary of await results(page).first().locator("summary:visible").all()) await summary.click();
  await assertNarrow(page, "details");
  assert.ok((await page.locator(".rail").innerText()).includes("Library"), "the sources are on the page");
  assert.ok((await page.locator("a.facet").count()) > 3, "the filters are on the page");
});
