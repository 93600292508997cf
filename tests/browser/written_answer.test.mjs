// Answers of a model: they stream, are shown as text, have follow-up questions, and can be stopped. The model is the default
// of all users meanwhile, so these tests run after the others.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { assertAccessible, axe } from "./harness/axe.mjs";
import { api, browse, app, createUser } from "./harness/app.mjs";
import { assertInert } from "./harness/inert.mjs";
import { PHONE, assertNarrow } from "./harness/narrow.mjs";
import { waitForResults } from "./harness/pages/search.mjs";
import { openLatch, runSearch, uniqueName } from "./harness/records.mjs";

let me;
let model;
const latch = uniqueName("model");
const newUser = async () => (me = await createUser());
const slot = (page) => page.locator("#answer-slot");
const done = (page) => slot(page).locator("section.answer.done");

before(async () => {
  model = await api("POST", "/svc/aiproviders/", {
    name: uniqueName("Writer"), model: "gpt-test", api_key: "k", active: true, shared: true, tags: ["rag", "chat"], defaults: ["rag"],
    config: { api_base: `${app.sources}/model/${latch}` },
  });
});
after(() => api("DELETE", `/svc/aiproviders/${model.id}/`));

/** The first table has hostile cells, the second one is wider than the page and scrolls with the keyboard. */
async function assertTables(page, answer) {
  const [first, second] = await answer.locator(".prose .table").all();
  assert.equal(await first.locator("th[scope=col]").count(), 2);
  assert.match(await first.locator("tbody tr").nth(1).innerText(), /more/);
  assert.equal(await first.locator("img, script, a:not(.cite)").count(), 0);
  await page.setViewportSize(PHONE);
  await assertNarrow(page, "an answer with a wide table");
  await second.focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((box) => box.scrollLeft > 0, await second.elementHandle());
}

async function requestAnswer(page) {
  const search = await runSearch("flood warning", { as: me });
  await page.goto(`/?search_id=${search.id}`);
  await waitForResults(page);
  await slot(page).locator("[data-ask]").click();
}

browse("an answer can be stopped while it is written", { who: newUser }, async (page) => {
  await requestAnswer(page);
  await slot(page).locator("section.generating [data-text]").filter({ hasText: "before the water does" }).waitFor();
  await slot(page).getByRole("button", { name: "Stop" }).click();
  await slot(page).locator("section.generating").waitFor({ state: "hidden" });
  assert.equal(await done(page).count(), 0);
  // The next answer does not begin with the text of this one.
  await page.route("**/rag-search/", () => {});
  await slot(page).locator("[data-ask]").click();
  await slot(page).locator("section.generating").waitFor();
  assert.equal(await slot(page).locator("section.generating [data-text]").textContent(), "");
  await slot(page).getByRole("button", { name: "Stop" }).click();
});

browse("an answer streams, has citations, and is shown as text", { who: newUser, init: axe() }, async (page) => {
  await requestAnswer(page);
  // The first sentence is shown while the rest is still being written.
  await slot(page).locator("section.generating [data-text]").filter({ hasText: "before the water does" }).waitFor();
  assert.equal(await done(page).count(), 0);
  await openLatch(latch);
  await done(page).waitFor();
  assert.match(await done(page).locator("h2").innerText(), /gpt-test/);
  assert.ok((await done(page).locator("a.cite[data-cite]").count()) >= 1);
  await done(page).locator("a.cite[data-cite]").first().hover();
  await page.locator(".passage:visible").waitFor();
  await assertInert(page, "a written answer");
  assert.equal(await done(page).locator("img, script, [onmouseover]").count(), 0);
  await assertAccessible(page, "a written answer");
  assert.equal(await done(page).locator(".prose .table td a.cite[data-cite]").count(), 1);
  await assertTables(page, done(page));

  const question = done(page).locator("[data-follow]").first();
  assert.equal(await question.innerText(), "How long is the lead time?");
  await question.click();
  await done(page).locator(".answer-request").filter({ hasText: "How long is the lead time?" }).waitFor();
});

browse("a reply in a chat is shown as text", { who: newUser }, async (page) => {
  await openLatch(latch);
  await page.goto("/chat/");
  await page.getByRole("textbox", { name: "Your message" }).fill("flood warning");
  await page.keyboard.press("Enter");
  await page.locator("#thread .message.theirs:not(.pending) .prose").waitFor();
  await assertInert(page, "a chat");
  await assertTables(page, page.locator("#thread .message.theirs"));
});
