// Every page opens without an error, says what it is, has no barrier in light, in dark and on a phone, and fits there.

import assert from "node:assert/strict";
import { assertAccessible, axe } from "./house/axe.mjs";
import { browse, person } from "./house/house.mjs";
import { PHONE, assertNarrow } from "./house/narrow.mjs";
import { CONSOLE, filled, settled } from "./house/pages/console.mjs";

const PEOPLE = ["/", "/history/", "/account/", "/chat/", "/svc/query_transform_form/"];
const RECORDS = [
  "/admin/searchproviders/1/", "/admin/searchproviders/new/", "/admin/aiproviders/1/", "/admin/aiproviders/new/",
  "/admin/users/1/", "/admin/groups/new/", "/admin/prompts/1/", "/admin/querytransforms/new/", "/admin/authenticators/new/",
];

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

/** One page in all its looks, so that it is loaded once. All that is wrong is said at once. */
async function looksGood(page, what) {
  const wrong = [];
  const attempt = (check) => check.catch((error) => wrong.push(error.message));
  await attempt(assertAccessible(page, `${what} in light`));
  await page.emulateMedia({ colorScheme: "dark" });
  await attempt(assertAccessible(page, `${what} in dark`));
  await page.setViewportSize(PHONE);
  await attempt(assertNarrow(page, what));
  await attempt(assertAccessible(page, `${what} on a phone, in dark`));
  await page.emulateMedia({ colorScheme: "light" });
  assert.equal(wrong.length, 0, wrong.join("\n"));
}

for (const path of [...PEOPLE, ...CONSOLE, ...RECORDS]) {
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

browse("sign-in", { who: null, init: axe() }, async (page) => {
  await page.goto("/login/");
  await looksGood(page, "/login/");
});

browse("the list of the console names every page", {}, async (page) => {
  await page.goto("/admin/");
  const links = await page.locator("nav.nav a[href^='/admin/']:visible").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  assert.deepEqual(links, CONSOLE);
  assert.equal(await page.locator("nav.nav a[aria-current=page]:visible").count(), 1);
});

browse("who is no administrator is told so", { who: () => person(), init: axe() }, async (page) => {
  const answer = await page.goto("/admin/");
  assert.equal(answer.status(), 403);
  assert.equal(await page.locator("nav.nav").count(), 0);
  await page.getByRole("alert").waitFor();
  await assertAccessible(page, "the refusal");
});
