// The semantic cache on the pages: a result is kept, found again, held against its source and removed; one's own
// documents; the cache in figures.

import assert from "node:assert/strict";
import { before } from "node:test";
import { assertAccessible, assertReadable, axe } from "./harness/axe.mjs";
import { api, browse, app, person } from "./harness/app.mjs";
import { assertInert } from "./harness/inert.mjs";
import { PHONE, assertNarrow } from "./harness/narrow.mjs";
import { visit } from "./harness/pages/console.mjs";
import { finished, results } from "./harness/pages/search.mjs";
import { openLatch, searched, source, unique } from "./harness/records.mjs";

let me;
let cache;
const whoever = async () => (me = await person());
before(async () => {
  cache = (await api("GET", "/svc/searchproviders/")).find((one) => one.connector === "TributaryCorpusConnector");
});

/** Of what stands in each document of a collection. */
const WORDS = "keeper writes height of the water each morning, sluice, mill, upper pond";
const keep = (path, as = me) => api("POST", "/svc/ingest/", { url: app.sources + path, wait: true }, { as });
const documents = (page) => page.locator("#documents .documents li");
const agree = (page, name = "Remove") => page.getByRole("dialog").getByRole("button", { name }).click();

/** Documents of a source that I alone may ask: what I keep of it nobody else finds. */
async function collection() {
  const [name, group] = [unique("collection"), unique("readers")];
  await api("POST", "/svc/groups/", { name: group });
  await api("PATCH", `/svc/users/${me.id}/`, { groups: [group] });
  return { name, provider: await source(`/collection/${name}`, { name: unique("Collection"), shared: false, groups: [group] }) };
}

/** The list of a search. */
async function list(page, query, sources) {
  const search = await searched(query, { as: me, sources });
  await page.goto(`/?search_id=${search.id}`);
  await finished(page);
}

browse("a result is kept, found again, checked and removed", { who: whoever, init: axe() }, async (page) => {
  const { name, provider } = await collection();
  await list(page, "sluice keeper", [provider]);
  const live = results(page).first();
  assert.equal(await live.locator(".cached, .from .badge").count(), 0, "what is live has no badge");
  await live.getByRole("button", { name: "Save a copy" }).click();
  await live.getByRole("link", { name: "Copy saved" }).waitFor();

  await list(page, `${WORDS} ${name}`, [cache]);
  const kept = results(page).filter({ hasText: name }).first();
  assert.equal(await kept.locator(".from .badge").innerText(), "Cached");
  assert.match(await kept.locator(".cached").innerText(), /Copy from Collection.*Last checked (just now|1 minute ago)/s);
  assert.equal(await kept.getByRole("button", { name: "Save a copy" }).count(), 0);
  await assertAccessible(page, "a list from the cache");
  await page.emulateMedia({ colorScheme: "dark" });
  await assertReadable(page, "a list from the cache, in dark");
  await page.emulateMedia({ colorScheme: "light" });

  const check = kept.getByRole("button", { name: "Check now" });
  await check.click();
  await kept.locator(".fresh.alive").filter({ hasText: "Last checked just now" }).waitFor();
  await openLatch(name);
  await check.click();
  await kept.locator(".fresh.gone").filter({ hasText: "No longer at the source" }).waitFor();
  await page.reload();
  await finished(page);
  await kept.locator(".badge.bad").filter({ hasText: "gone" }).waitFor();
  assert.match(await kept.locator(".text").innerText(), /water/, "the copy stays");
  await page.setViewportSize(PHONE);
  await assertNarrow(page, "a list from the cache");
  await assertAccessible(page, "a list from the cache on a phone");

  await kept.getByRole("button", { name: "Remove" }).click();
  await agree(page, "Cancel");
  await kept.getByRole("button", { name: "Remove" }).click();
  await agree(page);
  await kept.waitFor({ state: "detached" });
  await page.reload();
  await finished(page);
  assert.equal(await results(page).filter({ hasText: name }).count(), 0, "nor after a reload");
});

browse("one's own documents are kept by address, found, checked and removed", { who: whoever, init: axe() }, async (page) => {
  const name = unique("page");
  await page.goto("/account/#documents");
  await page.locator("#documents .nothing").waitFor();
  await page.getByLabel("Save a page by URL").fill(`${app.sources}/page/${name}/1`);
  await page.getByRole("button", { name: "Save a copy" }).click();
  await documents(page).filter({ hasText: `Number 1 of ${name}` }).waitFor();
  await keep(`/page/${name}/2`);
  await page.reload();
  await documents(page).nth(1).waitFor();
  assert.equal(await documents(page).locator(".badge").first().innerText(), "cached");
  await assertAccessible(page, "cached documents");
  await page.emulateMedia({ colorScheme: "dark" });
  await assertReadable(page, "cached documents, in dark");
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
  await agree(page);
  await page.getByText("No matching documents.").waitFor();
  const left = await api("GET", "/svc/cache/?page=1", undefined, { as: me });
  assert.deepEqual(left.results.map((one) => one.url), [`${app.sources}/page/${name}/1`]);
});

browse("what a document says stays text", { who: whoever }, async (page) => {
  const name = unique("harm");
  const harms = [0, 1, 6];
  for (const harm of harms) await keep(`/page/${name}/hostile-${harm}`);
  await list(page, `${WORDS} ${name}`, [cache]);
  // They say nearly the same, so that they are versions of each other.
  assert.equal(await page.locator("article.result, .version[data-id]").filter({ has: page.locator("h2, .title", { hasText: name }) }).count(), harms.length);
  await assertInert(page, "hostile copies in a list");
  await page.goto("/account/#documents");
  await documents(page).nth(harms.length - 1).waitFor();
  await assertInert(page, "hostile copies among one's own");
});

browse("nobody sees the copies of others", { who: whoever }, async (page) => {
  const name = unique("secret");
  const other = await person();
  await keep(`/page/${name}/1`, other);
  const theirs = await searched(`${WORDS} ${name}`, { as: other, sources: [cache] });
  const { results: found } = await api("GET", `/svc/results/?search_id=${theirs.id}`, undefined, { as: other });
  assert.equal(found.length, 1, "the owner finds it");
  await page.goto("/account/#documents");
  await page.locator("#documents .nothing").waitFor();
  await list(page, `${WORDS} ${name}`, [cache]);
  assert.equal(await results(page).count(), 0);
});

browse("the console counts what is in the cache and shows none of it", {}, async (page) => {
  const name = unique("counted");
  const number = async () => Number((await page.locator(".tile b").first().innerText()).replace(/\D/g, ""));
  await visit(page, "/admin/cache/");
  const count = await number();
  await keep(`/page/${name}/1`, await person());
  await visit(page, "/admin/cache/");
  assert.ok((await number()) > count);
  assert.ok(!(await page.content()).includes(name));
  for (const title of ["Status at the source", "Today", "Vector store", "Text storage"]) await page.getByRole("heading", { name: title }).waitFor();
  assert.equal(await page.locator("#work .badge.bad").count(), 0, "the stores answer");
});
