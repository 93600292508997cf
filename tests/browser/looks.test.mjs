// Light and dark, English and German.

import assert from "node:assert/strict";
import { browse, person } from "./harness/app.mjs";
import { PHONE, assertNarrow } from "./harness/narrow.mjs";
import { CONSOLE, settled } from "./harness/pages/console.mjs";
import { finished, results } from "./harness/pages/search.mjs";
import { searched } from "./harness/records.mjs";

const whoever = () => person();

/** How bright the paper is, 0 to 255. */
const brightness = (page) =>
  page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
    return (red + green + blue) / 3;
  });

browse("the page is as the system likes it, and as one chooses", { who: whoever }, async (page) => {
  await page.goto("/");
  assert.ok((await brightness(page)) > 200);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.ok((await brightness(page)) < 60);
  await page.locator("summary", { hasText: "Menu for" }).click();
  await page.getByLabel("Theme").selectOption("light");
  assert.ok((await brightness(page)) > 200, "the choice wins");
  await page.goto("/history/");
  assert.ok((await brightness(page)) > 200, "and is remembered");
});

browse("the language is the browser's, or the chosen one", { who: whoever }, async (page) => {
  await page.goto("/");
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
  await page.locator("summary", { hasText: "Menu for" }).click();
  await page.getByLabel("Language").selectOption("de");
  await page.waitForFunction(() => document.documentElement.lang === "de");
  await page.getByRole("button", { name: "Suchen" }).waitFor();
});

/** Words that no German page has. */
const ENGLISH = /\b(the|your|with|results?|sources?|search|loading|filter by|choose|nothing|there is|sign out|save|delete)\b/i;

browse("German pages speak German", { language: "de-DE" }, async (page) => {
  const search = await searched("flood warning");
  const wrong = [];
  // What a source, an administrator or the API says is in the language in which it was written.
  const own = "article.result, .src, .facet, .recent, .search-row, .answer, code, pre, textarea, input, select, option, dd, td, kbd, time, .help, .nothing-said, .toast, .chip, ul.ready h2, ul.ready li > p, ul.ready .unseen, .badge, .log, caption, [aria-label=Dateien], [data-page=license] .card p";
  for (const path of ["/", `/?search_id=${search.id}`, "/history/", "/account/", "/chat/", ...CONSOLE]) {
    await page.goto(path);
    await settled(page);
    assert.equal(await page.locator("html").getAttribute("lang"), "de", path);
    const texts = await page.evaluate((skipped) => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const found = [];
      while (walker.nextNode()) {
        const parent = walker.currentNode.parentElement;
        if (!parent.closest(skipped) && !parent.closest("script, noscript, template") && parent.checkVisibility()) found.push(walker.currentNode.textContent.trim());
      }
      return found.filter((text) => /\p{L}{2}/u.test(text));
    }, own);
    for (const text of texts) if (ENGLISH.test(text)) wrong.push(`${path}: ${text}`);
  }
  assert.deepEqual(wrong.slice(0, 20), []);
});

browse("a list in German", { language: "de-DE" }, async (page) => {
  const search = await searched("flood warning");
  await page.goto(`/?search_id=${search.id}`);
  await finished(page);
  assert.match(await page.locator("#sum").innerText(), /^55 Treffer/);
  assert.match(await results(page).locator("time").first().innerText(), /^\d\d\.\d\d\.\d{4}$/);
});

browse("a list on a phone fits, with its details, and loses nothing", { ...PHONE }, async (page) => {
  const search = await searched("flood warning");
  await page.goto(`/?search_id=${search.id}`);
  await finished(page);
  await assertNarrow(page, "a list");
  for (const summary of await results(page).first().locator("summary:visible").all()) await summary.click();
  await assertNarrow(page, "details");
  assert.ok((await page.locator(".rail").innerText()).includes("Library"), "the sources are there");
  assert.ok((await page.locator("a.facet").count()) > 3, "the filters are there");
});
