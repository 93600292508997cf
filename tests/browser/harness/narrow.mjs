// Checks that a page is not wider than its window, where elements may scroll on their own, and that its tables fit.

import assert from "node:assert/strict";

export const PHONE = { width: 390, height: 780 };

export async function assertNarrow(page, what) {
  const found = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const isClipped = (element) => {
      for (let parent = element.parentElement; parent; parent = parent.parentElement) {
        if (/(auto|scroll|hidden|clip)/.test(getComputedStyle(parent).overflowX)) return true;
      }
      return element.closest(".visually-hidden, .skip") !== null;
    };
    const wide = [...document.body.querySelectorAll("*")]
      .filter((element) => element.getBoundingClientRect().right > width + 1 && element.checkVisibility() && !isClipped(element))
      .slice(0, 5)
      .map((element) => `${element.tagName.toLowerCase()}.${element.className} ends at ${Math.round(element.getBoundingClientRect().right)}`);
    return { scroll: document.documentElement.scrollWidth, width, wide };
  });
  assert.ok(found.scroll <= found.width && found.wide.length === 0, `${what} is too wide: ${JSON.stringify(found)}`);
}

/** Checks that no table is cut off: all columns are visible without scrolling. */
export async function assertTablesFit(page, what) {
  const wide = await page.locator(".scroller").evaluateAll((all) => all
    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth)
    .map((one) => `${one.getAttribute("aria-label")}: ${one.scrollWidth} in ${one.clientWidth}`));
  assert.deepEqual(wide, [], `${what}: tables that are too wide`);
}
