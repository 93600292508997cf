// Suggestions below the search box: with the keyboard, with the mouse, and for screen readers.

import assert from "node:assert/strict";
import { before } from "node:test";
import { api, browse, createUser } from "./harness/app.mjs";
import { assertAccessible, axe } from "./harness/axe.mjs";
import { PHONE, assertNarrow } from "./harness/narrow.mjs";
import { searchBox, waitForResults } from "./harness/pages/search.mjs";
import { runSearch } from "./harness/records.mjs";

let me;
before(async () => {
  me = await createUser();
  const other = await createUser();
  await runSearch("flood warning", { as: me });
  const saved = await runSearch("flood plans of the harbour", { as: me });
  await api("PATCH", `/svc/search/${saved.id}/`, { tags: ["saved"] }, { as: me });
  await runSearch("flood levels of another user", { as: other });
});
const who = () => me;
const list = (page) => page.getByRole("listbox", { name: "Suggestions" });
const options = (page) => page.getByRole("option");
const chosen = (page) => page.locator("#pick input[name=sources]:checked");

async function type(page, text) {
  await searchBox(page).pressSequentially(text);
  await options(page).first().waitFor();
}

browse("own searches are suggested, saved ones first, and never those of others", { who, init: axe() }, async (page) => {
  await page.goto("/");
  await type(page, "flood");
  const texts = await options(page).allInnerTexts();
  assert.match(texts[0], /flood plans of the harbour\s+Saved/);
  assert.equal(texts[1], "flood warning");
  assert.ok(!texts.join().includes("another user"), texts.join());
  const box = page.getByRole("combobox", { name: "Search" });
  assert.equal(await box.getAttribute("aria-expanded"), "true");
  await assertAccessible(page, "open suggestions");
  await page.emulateMedia({ colorScheme: "dark" });
  await assertAccessible(page, "open suggestions in dark");
});

browse("arrow keys and Enter choose a suggestion, Escape closes the list", { who }, async (page) => {
  await page.goto("/");
  await type(page, "flood");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const active = await searchBox(page).getAttribute("aria-activedescendant");
  assert.equal(await page.locator(`#${active}`).innerText(), "flood warning");
  await page.keyboard.press("Escape");
  await list(page).waitFor({ state: "hidden" });
  assert.equal(await searchBox(page).inputValue(), "flood");
  assert.equal(await searchBox(page).getAttribute("aria-activedescendant"), null);
  await page.keyboard.press("ArrowDown");
  await options(page).first().waitFor();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await waitForResults(page);
  assert.equal(await list(page).count(), 0);
  const [newest] = await api("GET", "/svc/search/", undefined, { as: me });
  assert.equal(await searchBox(page).inputValue(), newest.query_string);
});

browse("Enter without a choice searches for what was typed", { who }, async (page) => {
  await page.goto("/");
  await type(page, "flood");
  await page.keyboard.press("Enter");
  await waitForResults(page);
  assert.equal(await searchBox(page).inputValue(), "flood");
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.id === "q"), false, "the shortcuts of the list work");
});

browse("a source is suggested for the last word, and selected", { who, ...PHONE }, async (page) => {
  await page.goto("/");
  await type(page, "battery in:tick");
  await assertNarrow(page, "open suggestions");
  await options(page).filter({ hasText: "Tickets - Riverbend" }).click();
  assert.equal(await searchBox(page).inputValue(), "battery");
  assert.equal(await chosen(page).count(), 1);
  assert.equal(await list(page).count(), 0);
  await page.keyboard.press("Enter");
  await waitForResults(page);
  assert.equal(await page.locator(".src").count(), 1);
});
