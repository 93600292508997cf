// A page as everybody must find it: it opens without an error, says what it is, has no barrier in light, in dark and on
// a phone, and fits there.

import assert from "node:assert/strict";
import { assertAccessible, assertReadable, axe } from "./axe.mjs";
import { browse } from "./app.mjs";
import { PHONE, assertNarrow } from "./narrow.mjs";
import { filled, settled } from "./pages/console.mjs";

/** The test of one page. */
export function opens(path) {
  browse(path, { init: axe() }, async (page) => {
    const answer = await page.goto(path);
    assert.equal(answer.status(), 200);
    assertHeaders(answer.headers());
    if (path.startsWith("/admin/")) await filled(page);
    await settled(page);
    assert.equal(await page.locator("h1:visible").count(), 1);
    assert.notEqual(await page.title(), "");
    const alerts = (await page.getByRole("alert").allInnerTexts()).filter((text) => text.trim());
    assert.deepEqual(alerts, []);
    assert.ok((await page.locator("main:visible").innerText()).trim().length > 20, "there is something to read");
    await looksGood(page, path);
  });
}

/** One page in all its looks, so that it is loaded once. All that is wrong is said at once. */
export async function looksGood(page, what) {
  const wrong = [];
  const attempt = (check) => check.catch((error) => wrong.push(error.message));
  await attempt(assertAccessible(page, `${what} in light`));
  await page.emulateMedia({ colorScheme: "dark" });
  await attempt(assertReadable(page, `${what} in dark`));
  await page.setViewportSize(PHONE);
  await attempt(assertNarrow(page, what));
  await attempt(assertReadable(page, `${what} on a phone, in dark`));
  await page.emulateMedia({ colorScheme: "light" });
  await attempt(assertAccessible(page, `${what} on a phone, in light`));
  assert.equal(wrong.length, 0, wrong.join("\n"));
}

/** Nothing but our own files; no inline script or style, no frame, no guessing of types. */
function assertHeaders(headers) {
  const policy = headers["content-security-policy"];
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"]) {
    assert.ok(policy.includes(part), part);
  }
  assert.doesNotMatch(policy, /unsafe|\*|https?:|blob:/);
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["x-frame-options"], "DENY");
  assert.equal(headers["referrer-policy"], "same-origin");
}
