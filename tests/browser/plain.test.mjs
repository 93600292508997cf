// Without JavaScript the search page is a plain list that works by links and forms.

import assert from "node:assert/strict";
import { browse, person } from "./harness/app.mjs";

const RESULT = "article.result";
const WAIT_MS = 40_000;

/** The page loads itself again until the sources have answered. */
async function listed(page) {
  await page.locator(RESULT).first().waitFor({ timeout: WAIT_MS });
}

browse("search, read, page, filter, order, sign out", { who: () => person(), script: false }, async (page) => {
  await page.goto("/");
  await page.getByRole("searchbox").fill("flood warning");
  await page.getByRole("button", { name: "Search" }).click();
  await listed(page);
  await page.waitForURL(/search_id=\d+/);
  assert.equal(await page.locator(RESULT).count(), 10);
  assert.match(await page.locator(".rail").innerText(), /Library - Riverbend/);
  assert.equal(await page.locator(RESULT).first().locator("mark").count() > 0, true);
  await page.getByRole("link", { name: "Next" }).last().click();
  await page.waitForURL(/page=2/);
  await listed(page);
  await page.locator("a.facet", { hasText: "Tickets - Riverbend" }).first().click();
  await listed(page);
  assert.match(await page.locator(RESULT).first().innerText(), /Tickets - Riverbend/);
  await page.getByRole("link", { name: "Date", exact: true }).first().click();
  await page.waitForURL(/sort=DateMixer/);
  await page.locator(RESULT).first().locator("details.details summary").click();
  assert.match(await page.locator(RESULT).first().locator(".payload").innerText(), /Rank at the source/);
  await page.locator("summary", { hasText: "Menu for" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(/\/login\//);
});

browse("the console says that it needs a script", { script: false }, async (page) => {
  await page.goto("/admin/");
  assert.equal(await page.locator("noscript .note").isVisible(), true);
  assert.match(await page.locator("noscript .note").innerText(), /The console requires JavaScript/);
});
