// Use without a mouse: with Tab and Enter alone, and with the keyboard shortcuts of the search page.

import assert from "node:assert/strict";
import { browse, createUser } from "./harness/app.mjs";
import { axe } from "./harness/axe.mjs";
import { checkThemes } from "./harness/page_checks.mjs";
import { waitForResults, waitForRepaint, results, shownKeys } from "./harness/pages/search.mjs";

const TABS_MAX = 150;

/** The focused element: its name, and whether its focus is visible. */
const focused = (page) =>
  page.evaluate(() => {
    const element = /** @type {HTMLInputElement} */ (document.activeElement);
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    const own = (element.getAttribute("aria-label") ?? element.labels?.[0]?.innerText ?? element.innerText ?? "").trim();
    const around = element.closest("form, .box") && getComputedStyle(element.closest("form, .box"));
    const isRound = (style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    const isVisible = isRound({ outlineStyle, outlineWidth }) || boxShadow !== "none" || (around && (isRound(around) || around.boxShadow !== "none"));
    return { tag: element.tagName.toLowerCase(), name: own, href: element.getAttribute("href"), rel: element.getAttribute("rel"), type: element.type, isVisible };
  });

/** Presses Tab until the wanted element has the focus, and checks that the focus is visible all the time. */
async function tabTo(page, what, isWanted) {
  for (let count = 0; count < TABS_MAX; count++) {
    await page.keyboard.press("Tab");
    const found = await focused(page);
    if (found.tag !== "body") assert.ok(found.isVisible, `the focus is not visible on ${JSON.stringify(found)}`);
    if (isWanted(found)) return found;
  }
  throw new Error(`Tab does not reach ${what}`);
}

const newUser = () => createUser();
/** The sites of the results, which the tests fake. */
const EXTERNAL = ["https://library.riverbend.example", "https://news.riverbend.example", "https://tickets.riverbend.example"];

async function fakeExternalSites(context) {
  await context.route((url) => EXTERNAL.includes(url.origin), (route) => route.fulfill({ contentType: "text/html", body: "<title>outside</title>" }));
}

/** Expects that an action opens a result, in this page or in a new one. */
async function expectOpened(page, context, action) {
  const other = context.waitForEvent("page");
  const here = page.waitForURL((url) => EXTERNAL.includes(url.origin)).then(() => page);
  for (const one of [other, here]) one.catch(() => {});
  await action();
  const found = await Promise.any([other, here]);
  await found.waitForURL((url) => EXTERNAL.includes(url.origin));
  if (found === page) await page.goBack();
  else await found.close();
}

browse("Tab and Enter alone: sign in, search, open, filter by stars, page, sign out", { who: null, allowed: EXTERNAL }, async (page, { context }) => {
  const me = await createUser();
  await fakeExternalSites(context);
  await page.goto("/login/");
  await page.keyboard.type(me.name);
  await page.keyboard.press("Tab");
  await page.keyboard.type(me.password);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === "/");

  await page.keyboard.type("flood warning");
  await page.keyboard.press("Enter");
  await waitForResults(page);

  await tabTo(page, "the first result", ({ tag, href }) => tag === "a" && /riverbend\.example/.test(href ?? ""));
  await expectOpened(page, context, () => page.keyboard.press("Enter"));
  await waitForResults(page);

  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
  await tabTo(page, "the filter for stars", ({ name }) => /^Starred only/.test(name));
  await waitForRepaint(page, () => page.keyboard.press("Space"));
  assert.match(page.url(), /starred=true/);
  assert.equal(await results(page).locator(".star").count(), await results(page).count());

  await tabTo(page, "the next page", ({ rel }) => rel === "next");
  const before = await shownKeys(page);
  await waitForRepaint(page, () => page.keyboard.press("Enter"));
  assert.match(page.url(), /page=2/);
  assert.ok((await shownKeys(page)).every((key) => !before.includes(key)));

  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
  await tabTo(page, "the menu", ({ tag, name }) => tag === "summary" && /Menu for/.test(name));
  await page.keyboard.press("Enter");
  await tabTo(page, "Sign out", ({ name }) => name === "Sign out");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/login\//);
});

browse("keyboard shortcuts of the search page", { who: newUser, allowed: EXTERNAL }, async (page, { context }) => {
  await fakeExternalSites(context);
  await page.goto("/");
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
  await page.keyboard.press("/");
  await page.keyboard.type("flood warning");
  await page.keyboard.press("Enter");
  await waitForResults(page);

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
  await expectOpened(page, context, () => page.keyboard.press("o"));
  await waitForResults(page);
  /** @type {[string, RegExp][]} */
  const moves = [["s", /starred=true/], ["s", /^((?!starred).)*$/], ["n", /page=2/], ["p", /^((?!page=2).)*$/]];
  for (const [key, address] of moves) {
    await waitForRepaint(page, () => page.keyboard.press(key));
    assert.match(page.url(), address, key);
  }
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
});

browse("Escape leaves the search box and keeps the query", { who: newUser }, async (page) => {
  await page.goto("/?q=flood+warning");
  await waitForResults(page);
  await page.keyboard.press("/");
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("searchbox").first().inputValue(), "flood warning");
  await page.keyboard.press("j");
  assert.equal(await results(page).first().evaluate((one) => one === document.activeElement), true);
});

browse("the preview opens beside the list, follows the focus, and closes", { who: newUser, init: axe() }, async (page) => {
  await page.goto("/?q=flood+warning");
  await waitForResults(page);
  const pane = page.getByRole("complementary", { name: "Preview" });
  const titleAt = async (place) => (await results(page).nth(place).locator("h2").innerText()).trim();
  await page.keyboard.press("j");
  await page.keyboard.press("ArrowRight");
  await pane.getByRole("heading", { name: await titleAt(0), exact: true }).waitFor();
  await pane.locator("mark").first().waitFor();
  assert.equal(await pane.locator(".from time").evaluate((element) => getComputedStyle(element, "::before").content), "none", "no line begins with a separator");
  await checkThemes(page, "a list with the preview");
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.keyboard.press("j");
  await pane.getByRole("heading", { name: await titleAt(1), exact: true }).waitFor();
  await page.keyboard.press("ArrowLeft");
  await pane.waitFor({ state: "detached" });
  assert.equal(await results(page).nth(1).evaluate((one) => one === document.activeElement), true, "the focus stays");
  await results(page).nth(2).getByRole("button", { name: "Preview" }).click();
  await pane.getByRole("heading", { name: await titleAt(2), exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await pane.waitFor({ state: "detached" });
});

browse("shortcuts are inactive in a text field", { who: newUser }, async (page) => {
  await page.goto("/");
  await page.locator("#q").focus();
  await page.keyboard.type("jks/?dwnpox");
  assert.equal(await page.locator("#q").inputValue(), "jks/?dwnpox");
});

browse("the first link skips to the content", { who: newUser }, async (page) => {
  await page.goto("/history/");
  await page.keyboard.press("Tab");
  assert.match((await focused(page)).name, /Skip to content/);
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
});
