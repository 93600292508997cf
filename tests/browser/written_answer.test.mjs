// An answer that a model writes: it streams, its words are text, its follow-ups are questions, and it can be stopped.
// The model serves everybody while it is there, so these tests run by themselves.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { assertAccessible, axe } from "./harness/axe.mjs";
import { api, browse, app, person } from "./harness/app.mjs";
import { assertInert } from "./harness/inert.mjs";
import { finished } from "./harness/pages/search.mjs";
import { openLatch, searched, unique } from "./harness/records.mjs";

let me;
let model;
const latch = unique("model");
const whoever = async () => (me = await person());
const slot = (page) => page.locator("#answer-slot");
const done = (page) => slot(page).locator("section.answer.done");

before(async () => {
  model = await api("POST", "/svc/aiproviders/", {
    name: unique("Writer"), model: "gpt-test", api_key: "k", active: true, shared: true, tags: ["rag", "chat"], defaults: ["rag"],
    config: { api_base: `${app.sources}/model/${latch}` },
  });
});
after(() => api("DELETE", `/svc/aiproviders/${model.id}/`));

async function asked(page) {
  const search = await searched("flood warning", { as: me });
  await page.goto(`/?search_id=${search.id}`);
  await finished(page);
  await slot(page).locator("[data-ask]").click();
}

browse("it can be stopped while it is written", { who: whoever }, async (page) => {
  await asked(page);
  await slot(page).locator("section.generating [data-text]").filter({ hasText: "before the water does" }).waitFor();
  await slot(page).getByRole("button", { name: "Stop" }).click();
  await slot(page).locator("section.generating").waitFor({ state: "hidden" });
  assert.equal(await done(page).count(), 0);
});

browse("it streams, cites, and whatever the model writes is text", { who: whoever, init: axe() }, async (page) => {
  await asked(page);
  // The first sentence is there while the rest is still being written.
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

  const question = done(page).locator("[data-follow]").first();
  assert.equal(await question.innerText(), "How long is the lead time?");
  await question.click();
  await done(page).locator(".asked").filter({ hasText: "How long is the lead time?" }).waitFor();
});

browse("in a chat it is text as well", { who: whoever }, async (page) => {
  await openLatch(latch);
  await page.goto("/chat/");
  await page.getByRole("textbox", { name: "Your message" }).fill("flood warning");
  await page.keyboard.press("Enter");
  await page.locator("#thread .message.theirs:not(.pending) .prose").waitFor();
  await assertInert(page, "a chat");
});
