// What pages show only with certain settings: alerts, the queries of searches without results, and the cache.

import assert from "node:assert/strict";
import { axe } from "./harness/axe.mjs";
import { Installation } from "./harness/installation.mjs";
import { checkThemes } from "./harness/page_checks.mjs";
import { visit, waitUntilIdle } from "./harness/pages/console.mjs";
import { openListMenu, waitForResults } from "./harness/pages/search.mjs";

/** Rows of a table of the activity before "Show all". */
const ROWS_MAX = 15;
const QUERIES = 18;

const settings = {
  SVC_ACTIVITY_SHOWS_QUERIES: "True",
  SVC_ALERT_WEBHOOK_URL: "http://127.0.0.1:9/alerts",
  SVC_ALERT_WEBHOOK_SECRET: "a secret for the signatures of alerts",
  SVC_ALERT_MAIL_URL: "smtp://127.0.0.1:9",
  SVC_ALERT_MAIL_FROM: "alerts@example.org",
};
let found;
const service = new Installation(settings, async () => {
  const empty = await service.createSource("Empty", "/plain/empty?count=0");
  await service.search("unheard ".repeat(250).trim());
  for (let number = 2; number <= QUERIES; number += 1) await service.search(`unheard of ${number}`);
  await service.call("DELETE", `/svc/searchproviders/${empty.id}/`);
  await service.createSource("Library", "/plain/library");
  found = await service.search("river");
});

service.browse("activity lists a part of the queries without results, and clips long ones", axe(), async (page) => {
  await visit(page, `${service.base}/admin/activity/`);
  const card = page.locator(".card").filter({ has: page.getByRole("heading", { name: "Searches without results" }) });
  await card.locator("tbody tr").nth(ROWS_MAX - 1).waitFor();
  assert.equal(await card.locator("tbody tr").count(), ROWS_MAX);
  await card.getByRole("button", { name: `Show all ${QUERIES}` }).click();
  assert.equal(await card.locator("tbody tr").count(), QUERIES);
  const heights = await card.locator("tbody tr").evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
  assert.ok(Math.max(...heights) < 80, String(heights));
  await waitUntilIdle(page);
  await checkThemes(page, "the activity with queries");
});

service.browse("without a license for the cache, it is not among the sources", axe(), async (page) => {
  const names = (selector) => page.locator(selector).evaluateAll((all) => all.map((one) => one.textContent.trim()));
  await page.goto(`${service.base}/`);
  assert.equal(await page.locator("#pick > summary").innerText(), "1 source");
  assert.deepEqual(await names("#pick .name"), ["Library"]);
  assert.deepEqual(await names(".tags .chip"), []);
  await page.goto(`${service.base}/?search_id=${found}`);
  await waitForResults(page);
  assert.deepEqual(await names(".src .name"), ["Library"]);
  await page.locator("#q").fill("brook");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.searchParams.get("q") === "brook");
  await waitForResults(page);
  assert.deepEqual(await names(".src .name"), ["Library"]);
  await page.goto(`${service.base}/chat/`);
  assert.deepEqual(await names(".choice label span"), ["Library"]);
  assert.deepEqual(await service.call("GET", "/svc/search/suggestions/?q=cache"), []);
});

service.browse("alerts are turned on for a subscribed search", axe(), async (page) => {
  await page.goto(`${service.base}/?search_id=${found}`);
  await waitForResults(page);
  await openListMenu(page);
  await page.getByRole("button", { name: "Subscribe", exact: true }).click();
  await page.getByRole("button", { name: "Send alerts" }).click();
  await page.getByRole("button", { name: "Alerts on", pressed: true }).waitFor();
  const hint = page.getByRole("link", { name: "No alerts by mail: your account has no mail address" });
  assert.equal(await hint.getAttribute("href"), "/account/");
  const { subscribe, tags } = await service.call("GET", `/svc/search/${found}/`);
  assert.deepEqual([subscribe, tags], [true, ["alert"]]);
  await checkThemes(page, "the menu of a list");
});
