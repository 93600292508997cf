// Measures how far elements move while a page loads, as Chromium counts it (cumulative layout shift).

import assert from "node:assert/strict";

/** Users notice shifts from 0.1 on. */
const SHIFT_MAX = 0.02;

/** The init script for `openPage({init})`. */
export const RECORD_SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!entry.hadRecentInput) window.shifts.push({ value: entry.value, moved: entry.sources.map((one) => one.node?.id || one.node?.className || one.node?.nodeName) });
    }
  }).observe({ type: "layout-shift", buffered: true });
`;

/** The sum of the shifts of a page, and what moved. */
export async function layoutShift(page) {
  const shifts = await page.evaluate(() => window.shifts);
  return { sum: shifts.reduce((sum, one) => sum + one.value, 0), shifts };
}

/** Fails if elements have moved while the page was loaded. */
export async function assertStill(page, what) {
  const { sum, shifts } = await layoutShift(page);
  assert.ok(sum <= SHIFT_MAX, `${what}: elements move by ${sum.toFixed(3)}: ${JSON.stringify(shifts)}`);
}
