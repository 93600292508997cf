// Without JavaScript, the search page is a plain list with links and forms.

import assert from "node:assert/strict";
import { browse, createUser } from "./harness/app.mjs";

const RESULT = "article.result";
const WAIT_MS = 40_000;

/** Waits for results; the page reloads itself until the sources have responded. */
async function waitForList(page) {
  await page.locator(RESULT).first().waitFor({ timeout: WAIT_MS });
}

browse("search, page, filter, sort, details, sign out", { who: () => createUser(), script: false }, async (page) => {
  await page.goto("/");
  await page.getByRole("searchbox").fill("flood warning");
  await page.getByRole("button", { name: "Search" }).click();
  await waitForList(page);
  await page.waitForURL(/search_id=\d+/);
  assert.equal(await page.locator(RESULT).count(), 10);
  assert.match(await page.locator(".sources").innerText(), /Library - Riverbend/);
  assert.equal(await page.locator(RESULT).first().locator("mark").count() > 0, true);
  await page.getByRole("link", { name: "Next" }).last().click();
  await page.waitForURL(/page=2/);
  await waitForList(page);
  await page.getByRole("checkbox", { name: /^Tickets - Riverbend/ }).check();
  await page.getByRole("checkbox", { name: /^Newsroom - Riverbend/ }).check();
  await page.getByRole("button", { name: "Apply" }).click();
  await page.waitForURL(/providers=\d+&providers=\d+/);
  await waitForList(page);
  assert.doesNotMatch((await page.locator(`${RESULT} .source`).allInnerTexts()).join(), /Library/);
  await page.locator(".orders > summary").click();
  await page.getByRole("link", { name: "Newest first", exact: true }).click();
  await page.waitForURL(/sort=DateMixer/);
  await page.locator(RESULT).first().locator("details.details summary").click();
  assert.match(await page.locator(RESULT).first().locator(".payload").innerText(), /Rank at the source/);
  await page.locator("summary", { hasText: "Menu for" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(/\/login\//);
});

browse("the console shows that it requires JavaScript", { script: false }, async (page) => {
  await page.goto("/admin/");
  assert.equal(await page.locator("noscript .note").isVisible(), true);
  assert.match(await page.locator("noscript .note").innerText(), /The console requires JavaScript/);
});
