// Nothing moves while a page loads: every page, on a desktop and on a phone, with an API that takes its time.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { api, browse, createUser } from "./harness/app.mjs";
import { RECORD_SHIFTS, assertStill } from "./harness/layout_shift.mjs";
import { PHONE } from "./harness/narrow.mjs";
import { CONSOLE, waitUntilFilled, waitUntilIdle } from "./harness/pages/console.mjs";
import { waitForResults } from "./harness/pages/search.mjs";
import { createSource, runSearch, uniqueName } from "./harness/records.mjs";

const SIZES = { "a desktop": { width: 1280, height: 900 }, "a phone": PHONE };
/** How long every response of the API takes at least. */
const DELAY_MS = 150;
const USER_PAGES = ["/", "/history/", "/account/", "/chat/", "/review/", "/egress/", "/svc/query_transform_form/", "/svc/api/docs/", "/no_such_page/"];
const FORMS = ["/admin/searchproviders/1/", "/admin/aiproviders/1/", "/admin/users/1/", "/admin/groups/new/", "/admin/prompts/1/"];

/** Tables with each kind of chart. */
const TABLES = ["sales", "numbers", "sizes", "many"];
/** Numbers of sources in the lists. */
const COUNTS = [1, 5, 53];

const sources = [];
const lists = [];
const charts = [];
before(async () => {
  for (let number = 1; number <= Math.max(...COUNTS); number += 1) {
    // Only the administrator sees them, because other tests run at the same time.
    sources.push(await createSource(`/plain/still${number}?count=2`, { name: uniqueName(`Still ${number}`), shared: false }));
  }
  for (const count of COUNTS) {
    const search = await runSearch("river", { sources: sources.slice(0, count) });
    lists.push(`/?search_id=${search.id}`, `/?search_id=${search.id}&providers=${sources[0].id}`);
  }
  const text = sources[0];
  for (const table of TABLES) {
    const source = await createSource(`/dataset/${table}`, { name: uniqueName("Table"), result_mappings: "DATASET", results_per_query: 40, shared: false });
    sources.push(source);
    charts.push(`/?search_id=${(await runSearch("figures", { sources: [source, text] })).id}`);
  }
});
after(async () => {
  for (const { id } of sources) await api("DELETE", `/svc/searchproviders/${id}/`);
});

/** Loads pages one after another, and reports all in which something moves. */
async function assertStillWhileLoading(page, paths, isReady = waitUntilIdle) {
  await page.route("**/svc/**", async (route) => {
    if (route.request().resourceType() === "fetch") await new Promise((done) => setTimeout(done, DELAY_MS));
    await route.continue().catch(() => {});
  });
  const errors = [];
  for (const path of paths) {
    await page.goto(path);
    await isReady(page);
    await waitUntilIdle(page);
    await assertStill(page, path).catch((error) => errors.push(error.message));
  }
  assert.equal(errors.length, 0, errors.join("\n"));
}

/** A user with a few searches, of which one is incomplete. */
async function newReader() {
  const reader = await createUser();
  const [delta, broken] = [await createSource("/plain/delta", { name: uniqueName("Delta") }), await createSource("/failing/500", { name: uniqueName("Broken") })];
  sources.push(delta, broken);
  await runSearch("estuary", { as: reader, sources: [delta] });
  await runSearch("delta", { as: reader, sources: [delta, broken] });
  return reader;
}

async function waitForCharts(page) {
  await waitForResults(page);
  await page.locator(".result svg [data-mark]").first().waitFor();
}

for (const [name, size] of Object.entries(SIZES)) {
  browse(`on ${name}: pages of users`, { init: RECORD_SHIFTS, ...size }, (page) => assertStillWhileLoading(page, USER_PAGES));
  browse(`on ${name}: a short history`, { init: RECORD_SHIFTS, ...size, who: newReader }, (page) => assertStillWhileLoading(page, ["/history/"]));
  browse(`on ${name}: the console`, { init: RECORD_SHIFTS, ...size }, (page) => assertStillWhileLoading(page, [...CONSOLE, ...FORMS], waitUntilFilled));
  browse(`on ${name}: lists with charts`, { init: RECORD_SHIFTS, ...size }, (page) => assertStillWhileLoading(page, charts, waitForCharts));
  browse(`on ${name}: lists with one, five and many sources`, { init: RECORD_SHIFTS, ...size }, (page) => assertStillWhileLoading(page, lists, waitForResults));
}
