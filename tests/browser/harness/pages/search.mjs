// Elements and actions of the search page.

import assert from "node:assert/strict";

export const results = (page) => page.locator("article.result");
export const searchBox = (page) => page.locator("#q");
export const sum = (page) => page.locator("#sum");
/** The line of a source, and its status. */
export const sourceLine = (page, name) => page.locator(`.src[data-name=${JSON.stringify(name)}]`);
export const sourceStatus = (page, name) => sourceLine(page, name).locator(".t");
export const betterButton = (page) => page.getByRole("button", { name: /Show \d+ better results?/ });

/** Submits a query on the start page; `sources` are records or ids. */
export async function submitQuery(page, query, { sources = undefined, path = "/" } = {}) {
  await page.goto(path);
  if (sources) await selectSources(page, sources);
  await searchBox(page).fill(query);
  await searchBox(page).press("Enter");
}

/** Selects these sources and no others. */
export async function selectSources(page, sources) {
  const ids = sources.map((one) => String(one.id ?? one));
  await page.locator("#pick summary").click();
  await page.evaluate((wanted) => {
    for (const input of document.querySelectorAll("#pick input[name=sources]")) {
      if (input.checked !== wanted.includes(input.value)) input.click();
    }
  }, ids);
  const ticked = await page.locator("#pick input[name=sources]:checked").evaluateAll((all) => all.map((one) => one.value));
  assert.deepEqual(new Set(ticked), new Set(ids));
  await page.keyboard.press("Escape");
}

/** Waits until all sources have responded and the list is shown. */
export async function waitForResults(page) {
  await page.waitForFunction(() => {
    const sum = document.querySelector("#sum");
    return sum && document.querySelector("article.result, .empty-state") && !document.querySelector(".src.asking") && !/so far|bisher|bis jetzt/.test(sum.textContent);
  });
}

export const shownKeys = (page) => results(page).evaluateAll((all) => all.map((one) => one.dataset.key));
export const shownTitles = async (page) => (await results(page).locator("h2").allInnerTexts()).map((title) => title.trim());

/** Opens the menu of the list: details, selection, export, save, subscribe, copy link. */
export async function openListMenu(page) {
  await page.locator("#more > summary").click();
}

/** Enables the selection. */
export async function startSelecting(page) {
  await openListMenu(page);
  await page.locator("#select-items").check();
  await page.keyboard.press("Escape");
}

/** Chooses a sort order. */
export async function sortBy(page, label) {
  await page.locator(".orders > summary").click();
  await followLink(page, page.locator(".orders a", { hasText: label }));
}

/** Enables the selection and selects only this result. */
export async function selectOnly(page, place) {
  await startSelecting(page);
  await page.locator("#select-none").click();
  await results(page).nth(place).locator(".choose input").check();
}

/** Runs an action that changes the list without a page load, and waits until the new list is painted. */
export async function waitForRepaint(page, action) {
  await page.evaluate(() => {
    window.isRepainted = false;
    document.addEventListener("tributary:list", () => (window.isRepainted = true), { once: true });
  });
  await action();
  await page.waitForFunction(() => window.isRepainted);
  await waitForResults(page);
}

/** Changes a checkbox of the filters, which applies at once. */
export async function toggleFilter(page, box) {
  await waitForRepaint(page, () => box.click());
}

/** Follows a link of the list, and checks that the URL of the page has its parameters afterwards. */
export async function followLink(page, link) {
  const href = await link.getAttribute("href");
  await waitForRepaint(page, () => link.click());
  const here = new URL(page.url());
  const { pathname, searchParams } = new URL(href, here);
  assert.equal(here.pathname, pathname);
  for (const [name, value] of searchParams) assert.ok(here.searchParams.getAll(name).includes(value), `${name}=${value} is not in ${here.search}`);
}
