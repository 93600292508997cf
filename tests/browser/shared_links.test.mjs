// Addresses of lists, given to another user: they offer to run the search again, with its filters and its order.

import assert from "node:assert/strict";
import { before } from "node:test";
import { api, app, browse, createUser, openPage } from "./harness/app.mjs";
import { assertAccessible, axe } from "./harness/axe.mjs";
import { openListMenu, results, waitForResults } from "./harness/pages/search.mjs";
import { runSearch } from "./harness/records.mjs";

let me;
let search;
let library;
before(async () => {
  me = await createUser();
  search = await runSearch("flood warning", { as: me });
  const { results: found } = await api("GET", `/svc/results/?search_id=${search.id}&facets=true`, undefined, { as: me });
  assert.ok(found.length);
  const providers = await api("GET", "/svc/searchproviders/", undefined, { as: me });
  library = providers.find((provider) => provider.name === "Library - Riverbend");
});
const who = () => me;
const parameters = (page) => new URL(page.url()).searchParams;
const list = (more = "") => `/?search_id=${search.id}${more}`;
const countOf = async (user) => (await api("GET", "/svc/search/", undefined, { as: user })).length;

browse("the address of a list names its query, also after the order and the page change", { who }, async (page) => {
  await page.goto(list());
  await waitForResults(page);
  await page.waitForFunction(() => new URLSearchParams(location.search).get("q") === "flood warning");
  await page.locator(".orders > summary").click();
  await page.locator(".orders a[href*=DateMixer]").first().click();
  await page.waitForURL(/sort=DateMixer/);
  assert.equal(parameters(page).get("q"), "flood warning");
  await page.goBack();
  await page.waitForURL((url) => !url.searchParams.has("sort"));
  assert.equal(parameters(page).get("search_id"), String(search.id));
  assert.equal(await countOf(me), 1, "nothing was searched again");
});

browse("another user is asked before the search of an address is run", { who, init: axe() }, async (page) => {
  await page.goto(list(`&providers=${library.id}&sort=DateMixer`));
  await waitForResults(page);
  await page.waitForFunction(() => new URLSearchParams(location.search).has("q"));
  const address = page.url();
  const other = await createUser();
  const tab = await openPage({ who: other, init: axe() });
  try {
    const without = await tab.page.goto(list());
    assert.equal(without.status(), 404);
    assert.doesNotMatch(await tab.page.content(), /flood/, "an id alone says nothing of a search");
    await tab.page.goto(address);
    await tab.page.getByRole("heading", { name: "Run this search?" }).waitFor();
    await tab.page.getByText("they belong to another user").waitFor();
    await assertAccessible(tab.page, "the page of a shared link");
    assert.equal(await countOf(other), 0);
    await tab.page.getByRole("button", { name: "Search" }).click();
    await waitForResults(tab.page);
    const sources = await results(tab.page).locator(".from .source").allInnerTexts();
    assert.deepEqual(new Set(sources), new Set([library.name]), "the filter of the list is kept");
    assert.equal(await countOf(other), 1);
    assert.notEqual(parameters(tab.page).get("search_id"), String(search.id));
    assert.equal(parameters(tab.page).get("sort"), "DateMixer");
  } finally {
    await tab.context.close();
  }
});

browse("a copied link has the filters of the list", { who }, async (page, { context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(list(`&providers=${library.id}&sort=DateMixer`));
  await waitForResults(page);
  await openListMenu(page);
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("Link copied").waitFor();
  const address = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  assert.equal(address.origin, app.base);
  const expected = { q: "flood warning", sort: "DateMixer", run: "true", providers: String(library.id) };
  assert.deepEqual(Object.fromEntries(address.searchParams), expected);
});
