// The pages in German: they fit on a phone despite longer words, and dates and numbers have German formats.

import assert from "node:assert/strict";
import { api, browse, createUser } from "./harness/app.mjs";
import { PHONE, assertNarrow } from "./harness/narrow.mjs";
import { CONSOLE, waitUntilFilled, waitUntilIdle, visit } from "./harness/pages/console.mjs";
import { waitForResults, results } from "./harness/pages/search.mjs";
import { runSearch, uniqueName } from "./harness/records.mjs";

const GERMAN = { language: "de-DE" };
const USER_PAGES = ["/", "/history/", "/account/", "/chat/", "/review/", "/review/?show=pins", "/egress/", "/svc/query_transform_form/", "/nothing/"];

/** Reports all pages that are too wide. */
async function assertFit(page, paths) {
  const errors = [];
  for (const path of paths) {
    await page.goto(path);
    assert.equal(await page.locator("html").getAttribute("lang"), "de", path);
    if (path.startsWith("/admin/")) await waitUntilFilled(page);
    await waitUntilIdle(page);
    await assertNarrow(page, path).catch((error) => errors.push(error.message));
  }
  assert.deepEqual(errors, []);
}

browse("the pages outside of the console fit on a phone", { ...GERMAN, ...PHONE }, (page) => assertFit(page, USER_PAGES));
browse("the first half of the console fits on a phone", { ...GERMAN, ...PHONE }, (page) => assertFit(page, CONSOLE.slice(0, CONSOLE.length / 2)));
browse("the second half of the console fits on a phone", { ...GERMAN, ...PHONE }, (page) => assertFit(page, CONSOLE.slice(CONSOLE.length / 2)));

browse("a list has German numbers, and the query has space on a phone", { ...GERMAN, ...PHONE }, async (page) => {
  const search = await runSearch("flood warning");
  await page.goto(`/?search_id=${search.id}`);
  await waitForResults(page);
  assert.match(await results(page).first().locator(".conf .num").innerText(), /\d,\d\d$/);
  assert.match(await page.locator(".src .t").first().innerText(), /\d,\d s$/);
  const { width } = await page.getByRole("searchbox").boundingBox();
  assert.ok(width > 130, `the search box has ${width} px`);
  assert.match(await page.locator("#pick > summary").textContent(), /^\d+( von \d+)? Quellen$/, "screen readers get the full text");
});

browse("the current tab is visible on a phone", { ...GERMAN, ...PHONE }, async (page) => {
  await page.goto("/review/?show=pins");
  const tab = page.getByRole("link", { name: "Angeheftet" });
  await tab.waitFor();
  const { x, width } = await tab.boundingBox();
  assert.ok(x >= 0 && x + width <= PHONE.width, `it is from ${x} to ${x + width}`);
});

browse("the audit log and the license page are in German", GERMAN, async (page) => {
  const name = uniqueName("geprüft");
  const group = await api("POST", "/svc/groups/", { name });
  await visit(page, "/admin/audit/");
  await page.getByLabel("Typ").selectOption({ label: "Gruppe" });
  await page.locator("#work tbody tr").filter({ hasText: `angelegt Gruppe ${name}` }).waitFor();
  await api("DELETE", `/svc/groups/${group.id}/`);
  await visit(page, "/admin/license/");
  assert.doesNotMatch(await page.locator("#work").innerText(), /The license/);
});

browse("an unknown path shows the page for status 404", { ...GERMAN, who: () => createUser() }, async (page) => {
  const answer = await page.goto("/nothing/");
  assert.equal(answer.status(), 404);
  await page.getByRole("heading", { name: "Seite nicht gefunden" }).waitFor();
  await page.getByRole("link", { name: "Zur Suche" }).click();
  await page.waitForURL((url) => url.pathname === "/");
});
