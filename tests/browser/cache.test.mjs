// The semantic cache: copies of results are saved, found, checked and removed; documents of a user; statistics.

import assert from "node:assert/strict";
import { before } from "node:test";
import { assertAccessible, assertReadable, axe } from "./harness/axe.mjs";
import { api, browse, app, createUser } from "./harness/app.mjs";
import { assertInert } from "./harness/inert.mjs";
import { PHONE, assertNarrow } from "./harness/narrow.mjs";
import { visit } from "./harness/pages/console.mjs";
import { waitForResults, results } from "./harness/pages/search.mjs";
import { openLatch, runSearch, createSource, uniqueName } from "./harness/records.mjs";

let me;
let cache;
const newUser = async () => (me = await createUser());
before(async () => {
  cache = (await api("GET", "/svc/searchproviders/")).find((one) => one.connector === "TributaryCorpusConnector");
});

/** Words of each document of a collection. */
const WORDS = "keeper writes height of the water each morning, sluice, mill, upper pond";
const saveCopy = (path, as = me) => api("POST", "/svc/ingest/", { url: app.sources + path, wait: true }, { as });
const documents = (page) => page.locator("#documents .documents li");
const answerDialog = (page, name = "Remove") => page.getByRole("dialog").getByRole("button", { name }).click();

/** Documents of a source that only this user may search, so that nobody else finds their copies. */
async function createCollection() {
  const [name, group] = [uniqueName("collection"), uniqueName("readers")];
  await api("POST", "/svc/groups/", { name: group });
  await api("PATCH", `/svc/users/${me.id}/`, { groups: [group] });
  return { name, provider: await createSource(`/collection/${name}`, { name: uniqueName("Collection"), shared: false, groups: [group] }) };
}

/** Runs a search and opens its list. */
async function openList(page, query, sources) {
  const search = await runSearch(query, { as: me, sources });
  await page.goto(`/?search_id=${search.id}`);
  await waitForResults(page);
}

browse("a copy of a result is saved, found, checked and removed", { who: newUser, init: axe() }, async (page) => {
  const { name, provider } = await createCollection();
  await openList(page, "sluice keeper", [provider]);
  const live = results(page).first();
  assert.equal(await live.locator(".cached, .from .badge").count(), 0, "a live result has no badge");
  await live.getByRole("button", { name: "Save a copy" }).click();
  await live.getByRole("link", { name: "Copy saved" }).waitFor();

  await openList(page, `${WORDS} ${name}`, [cache]);
  const cached = results(page).filter({ hasText: name }).first();
  assert.equal(await cached.locator(".from .badge").innerText(), "Cached");
  assert.match(await cached.locator(".cached").innerText(), /Copy from Collection.*Last checked (just now|1 minute ago)/s);
  assert.equal(await cached.getByRole("button", { name: "Save a copy" }).count(), 0);
  await assertAccessible(page, "a list from the cache");
  await page.emulateMedia({ colorScheme: "dark" });
  await assertReadable(page, "a list from the cache, in the dark theme");
  await page.emulateMedia({ colorScheme: "light" });

  const check = cached.getByRole("button", { name: "Check now" });
  await check.click();
  await cached.locator(".fresh.alive").filter({ hasText: "Last checked just now" }).waitFor();
  await openLatch(name);
  await check.click();
  await cached.locator(".fresh.gone").filter({ hasText: "No longer at the source" }).waitFor();
  await page.reload();
  await waitForResults(page);
  await cached.locator(".badge.bad").filter({ hasText: "gone" }).waitFor();
  assert.match(await cached.locator(".text").innerText(), /water/, "the copy stays");
  await page.setViewportSize(PHONE);
  await assertNarrow(page, "a list from the cache");
  await assertAccessible(page, "a list from the cache on a phone");

  await cached.getByRole("button", { name: "Remove" }).click();
  await answerDialog(page, "Cancel");
  await cached.getByRole("button", { name: "Remove" }).click();
  await answerDialog(page);
  await cached.waitFor({ state: "detached" });
  await page.reload();
  await waitForResults(page);
  assert.equal(await results(page).filter({ hasText: name }).count(), 0, "it is not found after a reload");
});

browse("documents are saved by URL, found, checked and removed", { who: newUser, init: axe() }, async (page) => {
  const name = uniqueName("page");
  await page.goto("/account/#documents");
  await page.locator("#documents .empty-state").waitFor();
  await page.getByLabel("Save a page by URL").fill(`${app.sources}/page/${name}/1`);
  await page.getByRole("button", { name: "Save a copy" }).click();
  await documents(page).filter({ hasText: `Number 1 of ${name}` }).waitFor();
  await saveCopy(`/page/${name}/2`);
  await page.reload();
  await documents(page).nth(1).waitFor();
  assert.equal(await documents(page).locator(".badge").first().innerText(), "cached");
  await assertAccessible(page, "cached documents");
  await page.emulateMedia({ colorScheme: "dark" });
  await assertReadable(page, "cached documents, in the dark theme");
  await page.setViewportSize(PHONE);
  await assertNarrow(page, "cached documents");
  await page.emulateMedia({ colorScheme: "light" });
  await assertAccessible(page, "cached documents on a phone");

  await page.getByLabel("Search cached documents").fill("Number 2");
  await documents(page).nth(1).waitFor({ state: "detached" });
  const second = documents(page).filter({ hasText: `Number 2 of ${name}` });
  await openLatch(name);
  await second.getByRole("button", { name: /^Check / }).click();
  await second.locator(".state.bad").filter({ hasText: "No longer at the source" }).waitFor();
  await second.getByRole("button", { name: /^Remove / }).click();
  await answerDialog(page);
  await page.getByText("No matching documents.").waitFor();
  const remaining = await api("GET", "/svc/cache/?page=1", undefined, { as: me });
  assert.deepEqual(remaining.results.map((one) => one.url), [`${app.sources}/page/${name}/1`]);
});

browse("hostile documents are shown as text", { who: newUser }, async (page) => {
  const name = uniqueName("harm");
  const hostile = [0, 1, 6];
  for (const harm of hostile) await saveCopy(`/page/${name}/hostile-${harm}`);
  await openList(page, `${WORDS} ${name}`, [cache]);
  // Their texts are nearly the same, so they are versions of each other.
  assert.equal(await page.locator("article.result, .version[data-id]").filter({ has: page.locator("h2, .title", { hasText: name }) }).count(), hostile.length);
  await assertInert(page, "hostile copies in a list");
  await page.goto("/account/#documents");
  await documents(page).nth(hostile.length - 1).waitFor();
  await assertInert(page, "hostile copies on the account page");
});

browse("users do not see the copies of others", { who: newUser }, async (page) => {
  const name = uniqueName("secret");
  const other = await createUser();
  await saveCopy(`/page/${name}/1`, other);
  const theirs = await runSearch(`${WORDS} ${name}`, { as: other, sources: [cache] });
  const { results: found } = await api("GET", `/svc/results/?search_id=${theirs.id}`, undefined, { as: other });
  assert.equal(found.length, 1, "the owner finds it");
  await page.goto("/account/#documents");
  await page.locator("#documents .empty-state").waitFor();
  await openList(page, `${WORDS} ${name}`, [cache]);
  assert.equal(await results(page).count(), 0);
});

browse("the console shows statistics of the cache, but no documents", {}, async (page) => {
  const name = uniqueName("counted");
  const number = async () => Number((await page.locator(".tile b").first().innerText()).replace(/\D/g, ""));
  await visit(page, "/admin/cache/");
  const count = await number();
  await saveCopy(`/page/${name}/1`, await createUser());
  await visit(page, "/admin/cache/");
  assert.ok((await number()) > count);
  assert.ok(!(await page.content()).includes(name));
  for (const title of ["Status at the source", "Today", "Vector store", "Text storage"]) await page.getByRole("heading", { name: title }).waitFor();
  assert.equal(await page.locator("#work .badge.bad").count(), 0, "the backends are available");
});
