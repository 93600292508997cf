// The dashboard: sources that need attention are named first, and nothing moves while the page loads.

import assert from "node:assert/strict";
import { axe } from "./harness/axe.mjs";
import { Installation } from "./harness/installation.mjs";
import { RECORD_SHIFTS, assertStill } from "./harness/layout_shift.mjs";
import { checkThemes } from "./harness/page_checks.mjs";
import { visit, waitUntilIdle } from "./harness/pages/console.mjs";

const service = new Installation({}, async () => {
  await service.createSource("Denied", "/failing/401");
  await service.createSource("Broken", "/failing/500");
  await service.createSource("Library", "/plain/library");
});

const attention = (page) => page.locator(".attention");
const stateOf = (page, name) => page.locator("#work tbody tr").filter({ hasText: name }).locator(".badge");

service.browse("sources that fail are named before the charts, with the reason and the way to repair them", axe(), async (page) => {
  for (const query of ["river", "stream", "brook"]) await service.search(query);
  await visit(page, `${service.base}/admin/`);
  await attention(page).getByRole("heading", { name: /^2 of \d sources need attention$/ }).waitFor();
  await attention(page).getByText(/key or password refused since \d\d:\d\d/).waitFor();
  const order = await page.evaluate(() => document.querySelector(".attention").compareDocumentPosition(document.querySelector(".tiles")));
  assert.ok(order & 4, "the card is before the tiles");
  await page.getByRole("list", { name: "Sources that failed" }).getByText("3 of 3 failed").first().waitFor();
  await waitUntilIdle(page);
  await checkThemes(page, "the dashboard with failing sources");
  await attention(page).getByRole("link", { name: "Fix Denied" }).click();
  await page.waitForURL(/\/admin\/searchproviders\/\d+\/$/);
});

service.browse("the list of sources marks failing ones", axe(), async (page) => {
  await visit(page, `${service.base}/admin/searchproviders/`);
  const badge = page.locator("#work tbody tr").filter({ hasText: "Denied" }).getByRole("link", { name: "failing" });
  assert.match(await badge.getAttribute("title"), /^key or password refused since/);
  assert.equal(await page.getByRole("link", { name: "failing" }).count(), 2);
  await checkThemes(page, "the list with failing sources");
  await badge.click();
  await page.waitForURL("**/admin/breakers/");
});

service.browse("a pause whose time is over ends with the next search", "", async (page) => {
  await page.route("**/svc/activity/now/", async (route) => {
    const now = await (await route.fetch()).json();
    await route.fulfill({ json: { ...now, resting: ["Denied", "Broken", "Library"].map((name) => ({ name, seconds: 0 })) } });
  });
  await visit(page, `${service.base}/admin/`);
  const tile = page.locator(".tile").filter({ hasText: "Paused sources" });
  await tile.getByText("and 2 more").waitFor();
  assert.doesNotMatch(await tile.innerText(), /0 seconds/);
  await page.route("**/svc/searchproviders/states/", async (route) => {
    const states = await (await route.fetch()).json();
    await route.fulfill({ json: states.map((one) => (one.name === "Library" ? { ...one, state: "half_open", seconds: 0, reason: "It failed 5 times in a row." } : one)) });
  });
  await visit(page, `${service.base}/admin/breakers/`);
  const library = page.locator("#work tbody tr").filter({ hasText: "Library" });
  assert.equal(await stateOf(page, "Library").innerText(), "paused");
  await library.getByText("with the next search").waitFor();
  await library.getByRole("button", { name: "Resume now" }).waitFor();
});

service.browse("the page of the health of all sources shows failing ones as failing", axe(), async (page) => {
  await visit(page, `${service.base}/admin/breakers/`);
  assert.match((await stateOf(page, "Denied").allInnerTexts()).join(" "), /failing/);
  assert.equal(await stateOf(page, "Library").first().innerText(), "active");
  await page.getByRole("button", { name: "Failing", exact: true }).click();
  await stateOf(page, "Library").waitFor({ state: "detached" });
  assert.equal(await page.locator("#work tbody tr").count(), 2);
  await waitUntilIdle(page);
  await checkThemes(page, "the list with failing sources");
});

service.browse("without a license, the page of the cache has no figures", axe(), async (page) => {
  await visit(page, `${service.base}/admin/cache/`);
  await page.getByText("The license does not include the semantic cache.").waitFor();
  assert.equal(await page.locator(".tile").count(), 0);
  await checkThemes(page, "the cache without a license");
});

for (const path of ["/admin/", "/account/"]) {
  service.browse(`nothing moves while ${path} loads`, RECORD_SHIFTS, async (page) => {
    await page.route("**/svc/**", async (route) => {
      await new Promise((done) => setTimeout(done, 150));
      await route.continue();
    });
    await page.goto(service.base + path);
    await page.waitForFunction(() => !document.querySelector(".loading, [aria-busy=true]"));
    await waitUntilIdle(page);
    await assertStill(page, path);
  });
}
