// Checks of every page: it opens without errors, has a title and a heading, and is accessible in the light and the dark
// theme and on a phone, where it fits the screen.

import assert from "node:assert/strict";
import { assertAccessible, assertReadable, axe } from "./axe.mjs";
import { browse } from "./app.mjs";
import { PHONE, assertNarrow, assertTablesFit } from "./narrow.mjs";
import { waitUntilFilled, waitUntilIdle } from "./pages/console.mjs";

/** The test of a page. */
export function checkPage(path) {
  browse(path, { init: axe() }, async (page) => {
    const answer = await page.goto(path);
    assert.equal(answer.status(), 200);
    assertHeaders(answer.headers());
    if (path.startsWith("/admin/")) await waitUntilFilled(page);
    await waitUntilIdle(page);
    assert.equal(await page.locator("h1:visible").count(), 1);
    assert.notEqual(await page.title(), "");
    const alerts = (await page.getByRole("alert").allInnerTexts()).filter((text) => text.trim());
    assert.deepEqual(alerts, []);
    assert.ok((await page.locator("main:visible").innerText()).trim().length > 20, "the page has content");
    const isConsole = path.startsWith("/admin/");
    if (isConsole) await assertTablesFit(page, path);
    await checkThemes(page, path);
    if (isConsole) await assertTablesFit(page, `${path} on a phone`);
  });
}

/** Checks a page in both themes and on a phone, without loading it again. Reports all errors at once. */
export async function checkThemes(page, what) {
  const errors = [];
  const attempt = (check) => check.catch((error) => errors.push(error.message));
  await attempt(assertAccessible(page, `${what} in light`));
  await page.emulateMedia({ colorScheme: "dark" });
  await attempt(assertReadable(page, `${what} in dark`));
  await page.setViewportSize(PHONE);
  await attempt(assertNarrow(page, what));
  await attempt(assertReadable(page, `${what} on a phone, in dark`));
  await page.emulateMedia({ colorScheme: "light" });
  await attempt(assertAccessible(page, `${what} on a phone, in light`));
  assert.equal(errors.length, 0, errors.join("\n"));
}

/** The headers allow only our own files: no inline scripts or styles, no frames, no content type sniffing. */
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
