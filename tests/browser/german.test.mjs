// The pages in German: they fit on a phone, whose words are longer, and days and figures are written as Germans do.

import assert from "node:assert/strict";
import { api, browse, person } from "./harness/app.mjs";
import { PHONE, assertNarrow } from "./harness/narrow.mjs";
import { CONSOLE, filled, settled, visit } from "./harness/pages/console.mjs";
import { finished, results } from "./harness/pages/search.mjs";
import { searched, unique } from "./harness/records.mjs";

const GERMAN = { language: "de-DE" };
const PEOPLE = ["/", "/history/", "/account/", "/chat/", "/review/", "/review/?show=pins", "/egress/", "/svc/query_transform_form/", "/nothing/"];

/** Every page that is too wide is named. */
async function fit(page, paths) {
  const wrong = [];
  for (const path of paths) {
    await page.goto(path);
    assert.equal(await page.locator("html").getAttribute("lang"), "de", path);
    if (path.startsWith("/admin/")) await filled(page);
    await settled(page);
    await assertNarrow(page, path).catch((error) => wrong.push(error.message));
  }
  assert.deepEqual(wrong, []);
}

browse("the pages of people fit on a phone", { ...GERMAN, ...PHONE }, (page) => fit(page, PEOPLE));
browse("the first half of the console fits on a phone", { ...GERMAN, ...PHONE }, (page) => fit(page, CONSOLE.slice(0, CONSOLE.length / 2)));
browse("the other half of the console fits on a phone", { ...GERMAN, ...PHONE }, (page) => fit(page, CONSOLE.slice(CONSOLE.length / 2)));

browse("a list has German figures, and on a phone there is space for the query", { ...GERMAN, ...PHONE }, async (page) => {
  const search = await searched("flood warning");
  await page.goto(`/?search_id=${search.id}`);
  await finished(page);
  assert.match(await results(page).first().locator(".conf .num").innerText(), /\d,\d\d$/);
  assert.match(await page.locator(".src .t").first().innerText(), /\d,\d s$/);
  const { width } = await page.getByRole("searchbox").boundingBox();
  assert.ok(width > 130, `the query has ${width} px`);
  assert.match(await page.locator("#pick > summary").textContent(), /^\d+( von \d+)? Quellen$/, "the words are there for those who listen");
});

browse("the tab that is open can be seen on a phone", { ...GERMAN, ...PHONE }, async (page) => {
  await page.goto("/review/?show=pins");
  const tab = page.getByRole("link", { name: "Angeheftet" });
  await tab.waitFor();
  const { x, width } = await tab.boundingBox();
  assert.ok(x >= 0 && x + width <= PHONE.width, `it lies from ${x} to ${x + width}`);
});

browse("the audit log and the license speak German", GERMAN, async (page) => {
  const name = unique("geprüft");
  const made = await api("POST", "/svc/groups/", { name });
  await visit(page, "/admin/audit/");
  await page.getByLabel("Typ").selectOption({ label: "Gruppe" });
  await page.locator("#work tbody tr").filter({ hasText: `angelegt Gruppe ${name}` }).waitFor();
  await api("DELETE", `/svc/groups/${made.id}/`);
  await visit(page, "/admin/license/");
  assert.doesNotMatch(await page.locator("#work").innerText(), /The license/);
});

browse("an unknown path shows a page that says so", { ...GERMAN, who: () => person() }, async (page) => {
  const answer = await page.goto("/nothing/");
  assert.equal(answer.status(), 404);
  await page.getByRole("heading", { name: "Seite nicht gefunden" }).waitFor();
  await page.getByRole("link", { name: "Zur Suche" }).click();
  await page.waitForURL((url) => url.pathname === "/");
});
