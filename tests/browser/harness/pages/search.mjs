// The search page: asking, and what stands on it.

import assert from "node:assert/strict";

export const results = (page) => page.locator("article.result");
export const box = (page) => page.getByRole("searchbox").first();
export const sum = (page) => page.locator("#sum");
/** A source's line in the rail. */
export const line = (page, name) => page.locator(`.src[data-name=${JSON.stringify(name)}]`);
export const better = (page) => page.getByRole("button", { name: /Show \d+ better results?/ });

/** Asks from the start page, by the box; `sources` are records or ids. */
export async function ask(page, query, { sources = undefined, path = "/" } = {}) {
  await page.goto(path);
  if (sources) await choose(page, sources);
  await box(page).fill(query);
  await box(page).press("Enter");
}

/** Ticks these sources in the picker and no other. */
export async function choose(page, sources) {
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

/** The list is there and no source is asked any more. */
export async function finished(page) {
  await page.waitForFunction(() => {
    const sum = document.querySelector("#sum");
    return sum && document.querySelector("article.result, .nothing") && !document.querySelector(".src.asking") && !/so far|bisher|bis jetzt/.test(sum.textContent);
  });
}

export const shownKeys = (page) => results(page).evaluateAll((all) => all.map((one) => one.dataset.key));
export const shownTitles = async (page) => (await results(page).locator("h2").allInnerTexts()).map((title) => title.trim());

/** Lets results be selected, and selects this one alone. */
export async function selectOnly(page, place) {
  await page.locator("#select-items").check();
  await page.locator("#select-none").click();
  await results(page).nth(place).locator(".choose input").check();
}

/** Does something that changes the list without a new page, and waits until the other list is painted. */
export async function repainted(page, deed) {
  await page.evaluate(() => {
    window.isRepainted = false;
    document.addEventListener("tributary:list", () => (window.isRepainted = true), { once: true });
  });
  await deed();
  await page.waitForFunction(() => window.isRepainted);
  await finished(page);
}

/** Follows a link of the list; the address is then the link's. */
export async function follow(page, link) {
  const href = await link.getAttribute("href");
  await repainted(page, () => link.click());
  const { pathname, search } = new URL(page.url());
  assert.equal(pathname + search, href);
}
