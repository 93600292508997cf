// Everything without a mouse: once by Tab and Enter alone, once by the keys of the search page.

import assert from "node:assert/strict";
import { browse, person } from "./harness/app.mjs";
import { finished, repainted, results, shownKeys } from "./harness/pages/search.mjs";

const TABS_MAX = 150;

/** What has the focus: its name, and whether it can be seen that it has it. */
const focused = (page) =>
  page.evaluate(() => {
    const element = /** @type {HTMLInputElement} */ (document.activeElement);
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    const own = (element.getAttribute("aria-label") ?? element.innerText ?? "").trim();
    const around = element.closest("form, .box") && getComputedStyle(element.closest("form, .box"));
    const isRound = (style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    const isSeen = isRound({ outlineStyle, outlineWidth }) || boxShadow !== "none" || (around && (isRound(around) || around.boxShadow !== "none"));
    return { tag: element.tagName.toLowerCase(), name: own, href: element.getAttribute("href"), rel: element.getAttribute("rel"), type: element.type, isSeen };
  });

/** Presses Tab until what has the focus is wanted. On the way the focus is always visible. */
async function tabTo(page, what, isWanted) {
  for (let count = 0; count < TABS_MAX; count++) {
    await page.keyboard.press("Tab");
    const found = await focused(page);
    if (found.tag !== "body") assert.ok(found.isSeen, `the focus cannot be seen on ${JSON.stringify(found)}`);
    if (isWanted(found)) return found;
  }
  throw new Error(`Tab does not reach ${what}`);
}

const whoever = () => person();
/** Results lead out of the service; the test stands in for where they lead to. */
const OUTSIDE = ["https://library.riverbend.example", "https://news.riverbend.example", "https://tickets.riverbend.example"];

async function standIn(context) {
  await context.route((url) => OUTSIDE.includes(url.origin), (route) => route.fulfill({ contentType: "text/html", body: "<title>outside</title>" }));
}

/** The page that a result was opened in: this one or another. */
async function opened(page, context, deed) {
  const other = context.waitForEvent("page");
  const here = page.waitForURL((url) => OUTSIDE.includes(url.origin)).then(() => page);
  for (const one of [other, here]) one.catch(() => {});
  await deed();
  const found = await Promise.any([other, here]);
  await found.waitForURL((url) => OUTSIDE.includes(url.origin));
  if (found === page) await page.goBack();
  else await found.close();
}

browse("Tab and Enter alone: sign in, search, open, filter by stars, page, sign out", { who: null, allowed: OUTSIDE }, async (page, { context }) => {
  const me = await person();
  await standIn(context);
  await page.goto("/login/");
  await page.keyboard.type(me.name);
  await page.keyboard.press("Tab");
  await page.keyboard.type(me.password);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === "/");

  await page.keyboard.type("flood warning");
  await page.keyboard.press("Enter");
  await finished(page);

  await tabTo(page, "the first result", ({ tag, href }) => tag === "a" && /riverbend\.example/.test(href ?? ""));
  await opened(page, context, () => page.keyboard.press("Enter"));
  await finished(page);

  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
  await tabTo(page, "the filter of stars", ({ name }) => /^Starred only/.test(name));
  await repainted(page, () => page.keyboard.press("Enter"));
  assert.match(page.url(), /starred=true/);
  assert.equal(await results(page).locator(".star").count(), await results(page).count());

  await tabTo(page, "the next page", ({ rel }) => rel === "next");
  const before = await shownKeys(page);
  await repainted(page, () => page.keyboard.press("Enter"));
  assert.match(page.url(), /page=2/);
  assert.ok((await shownKeys(page)).every((key) => !before.includes(key)));

  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
  await tabTo(page, "the menu", ({ tag, name }) => tag === "summary" && /Menu for/.test(name));
  await page.keyboard.press("Enter");
  await tabTo(page, "Sign out", ({ name }) => name === "Sign out");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/login\//);
});

browse("the keys of the search page", { who: whoever, allowed: OUTSIDE }, async (page, { context }) => {
  await standIn(context);
  await page.goto("/");
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
  await page.keyboard.press("/");
  await page.keyboard.type("flood warning");
  await page.keyboard.press("Enter");
  await finished(page);

  const at = () => page.evaluate(() => [...document.querySelectorAll("article.result")].findIndex((one) => one.contains(document.activeElement)));
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
  await page.keyboard.press("j");
  assert.equal(await at(), 0);
  await page.keyboard.press("j");
  assert.equal(await at(), 1);
  await page.keyboard.press("k");
  assert.equal(await at(), 0);
  await page.keyboard.press("d");
  assert.equal(await results(page).first().locator("details.details").evaluate((one) => one.open), true);
  await page.keyboard.press("w");
  assert.equal(await results(page).first().locator("details.why").evaluate((one) => one.open), true);
  await opened(page, context, () => page.keyboard.press("o"));
  await finished(page);
  /** @type {[string, RegExp][]} */
  const moves = [["s", /starred=true/], ["s", /^((?!starred).)*$/], ["n", /page=2/], ["p", /^((?!page=2).)*$/]];
  for (const [key, address] of moves) {
    await repainted(page, () => page.keyboard.press(key));
    assert.match(page.url(), address, key);
  }
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
});

browse("keys that are typed are text", { who: whoever }, async (page) => {
  await page.goto("/");
  await page.getByRole("searchbox").first().focus();
  await page.keyboard.type("jks/?dwnpox");
  assert.equal(await page.getByRole("searchbox").first().inputValue(), "jks/?dwnpox");
});

browse("the link over the head leads to the content", { who: whoever }, async (page) => {
  await page.goto("/history/");
  await page.keyboard.press("Tab");
  assert.match((await focused(page)).name, /Skip to content/);
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
});
