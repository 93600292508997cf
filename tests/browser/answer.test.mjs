// The answer above a list: it streams, has citations, and can be refined and rated. Tables become charts.

import assert from "node:assert/strict";
import { assertAccessible, axe } from "./harness/axe.mjs";
import { api, browse, createUser } from "./harness/app.mjs";
import { waitForResults, results, selectOnly } from "./harness/pages/search.mjs";
import { runSearch, createSource, uniqueName } from "./harness/records.mjs";

let me;
const newUser = async () => (me = await createUser());
const slot = (page) => page.locator("#answer-slot");
const done = (page) => slot(page).locator("section.answer.done");

async function generateAnswer(page, query = "flood warning") {
  const search = await runSearch(query, { as: me });
  await page.goto(`/?search_id=${search.id}`);
  await waitForResults(page);
  await slot(page).getByRole("button", { name: "Answer from these results" }).click();
  await done(page).waitFor();
  return search;
}

browse("an answer shows its stages, cites its sources and is marked as extractive", { who: newUser, init: axe() }, async (page) => {
  const before = page.waitForFunction(() => document.querySelector("#answer-slot section.generating:not([hidden])"));
  await Promise.all([before, generateAnswer(page)]);
  assert.match(await done(page).locator("h2").innerText(), /Answer from \d+ sources?.*extractive/s);
  assert.match(await done(page).locator("footer").innerText(), /\d+ of \d+ sentences supported/);
  const cites = done(page).locator("a.cite[data-cite]");
  assert.ok((await cites.count()) > 0);
  const number = await cites.first().getAttribute("data-cite");
  const passage = page.locator(`#source-${number}-passage`);
  assert.equal(await passage.isVisible(), false);
  await cites.first().hover();
  await passage.waitFor();
  assert.ok((await passage.innerText()).length > 30, "the passage is shown");
  await page.mouse.move(0, 0);
  await passage.waitFor({ state: "hidden" });
  await cites.first().focus();
  await passage.waitFor();
  await page.keyboard.press("Escape");
  await assertAccessible(page, "an answer");
  await page.emulateMedia({ colorScheme: "dark" });
  await assertAccessible(page, "an answer in the dark theme");
});

browse("an answer is still shown after a reload, above the results", { who: newUser }, async (page) => {
  await generateAnswer(page);
  const text = await done(page).locator(".prose").innerText();
  await page.reload();
  await done(page).waitFor();
  assert.equal(await done(page).locator(".prose").innerText(), text);
  assert.equal(await results(page).count(), 10);
});

browse("regenerating replaces the answer", { who: newUser }, async (page) => {
  const { id } = await generateAnswer(page);
  const stored = async () => (await api("GET", `/svc/results/?search_id=${id}`, undefined, { as: me })).ai_summary[0].swirl_id;
  const first = await stored();
  const response = page.waitForResponse((response) => response.url().endsWith("/svc/rag-search/"));
  await slot(page).getByRole("button", { name: "Regenerate answer" }).click();
  await (await response).finished();
  await done(page).waitFor();
  assert.notEqual(await stored(), first, "the stored answer is a new one");
});

browse("instructions generate another answer", { who: newUser }, async (page) => {
  await generateAnswer(page);
  await slot(page).getByRole("button", { name: "Instructions" }).click();
  await slot(page).getByLabel("Instructions for the answer").fill("in one sentence");
  await slot(page).getByRole("button", { name: "Generate", exact: true }).click();
  await done(page).locator(".answer-request").filter({ hasText: "in one sentence" }).waitFor();
});

browse("an answer is rated, with reasons", { who: newUser }, async (page) => {
  await generateAnswer(page);
  await done(page).getByRole("button", { name: "Not helpful" }).click();
  await done(page).getByLabel("Incomplete").check();
  await done(page).getByRole("button", { name: "Send" }).click();
  await done(page).locator("form.reasons").waitFor({ state: "hidden" });
  await done(page).getByRole("button", { name: "Not helpful", pressed: true }).waitFor();
  const { ratings } = await api("GET", "/svc/activity/");
  // Administrators see the rating, but neither the user nor the query.
  const own = ratings.find((one) => one.rating === -1 && one.reasons.includes("incomplete"));
  assert.ok(own && !("user" in own) && !("query" in own), JSON.stringify(ratings.slice(0, 3)));
  await page.reload();
  await done(page).getByRole("button", { name: "Not helpful", pressed: true }).waitFor();
  assert.equal(await done(page).getByRole("button", { name: "Helpful", exact: true }).getAttribute("aria-pressed"), "false");
});

browse("an answer uses only the selected results", { who: newUser }, async (page) => {
  const search = await runSearch("battery life", { as: me });
  await page.goto(`/?search_id=${search.id}`);
  await waitForResults(page);
  await selectOnly(page, 0);
  await slot(page).locator("[data-ask]").click();
  await done(page).waitFor();
  assert.equal(await done(page).locator(".tiles li").count(), 1);
});

browse("the Assistant answers from the sources", { init: axe() }, async (page) => {
  await page.goto("/chat/");
  const use = page.getByRole("button", { name: "Use extractive answers" });
  if (await use.count()) {
    const reloaded = page.waitForEvent("load");
    await use.click();
    await reloaded;
    await use.waitFor({ state: "detached" });
  }
  await page.getByRole("textbox", { name: "Your message" }).fill("flood warning");
  await page.keyboard.press("Enter");
  await page.locator("#thread .message.theirs:not(.pending) .prose").waitFor();
  assert.ok((await page.locator("#thread .message.theirs").last().innerText()).length > 40);
  await assertAccessible(page, "a chat");
});

const CHARTS = [
  ["/dataset/sales", "bar", "region,sales"],
  ["/dataset/numbers", "scatter", "rainfall,level"],
  ["/dataset/sizes", "bubble", "rainfall,level,people"],
];

for (const [path, kind, columns] of CHARTS) {
  browse(`a table becomes a ${kind} chart`, { who: newUser, init: axe() }, async (page) => {
    const provider = await createSource(path, { name: uniqueName("Table"), result_mappings: `DATASET,NO_PAYLOAD,${columns}` });
    const search = await runSearch("figures", { as: me, sources: [provider] });
    await page.goto(`/?search_id=${search.id}`);
    await waitForResults(page);
    const chart = results(page).first().locator("svg").filter({ has: page.locator("rect, circle, path") }).and(page.locator("[role=img], .chart svg, svg.chart"));
    await chart.first().waitFor();
    const marks = await results(page).first().locator("svg [data-mark]").count();
    assert.ok(marks >= 6, `${marks} marks`);
    assert.match(await results(page).first().innerText(), kind === "bar" ? /North/ : /rainfall/);
    await assertAccessible(page, "a chart");
    await page.emulateMedia({ colorScheme: "dark" });
    await assertAccessible(page, "a chart in the dark theme");
  });
}
