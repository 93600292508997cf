// The answer above a list: it streams, has citations, and can be refined and rated. Tables become charts.

import assert from "node:assert/strict";
import { assertAccessible, axe } from "./harness/axe.mjs";
import { api, browse, createUser } from "./harness/app.mjs";
import { RECORD_SHIFTS, layoutShift } from "./harness/layout_shift.mjs";
import { PHONE } from "./harness/narrow.mjs";
import { waitForRepaint, waitForResults, results, selectOnly } from "./harness/pages/search.mjs";
import { runSearch, createSource, uniqueName } from "./harness/records.mjs";

/** Largest sum of layout shifts while a page loads. */
const SHIFT_MAX = 0.02;

let me;
const newUser = async () => (me = await createUser());
const slot = (page) => page.locator("#answer-slot");
const done = (page) => slot(page).locator("section.answer.done");

async function generateAnswer(page, { query = "flood warning", sources = undefined } = {}) {
  const search = await runSearch(query, { as: me, sources });
  await page.goto(`/?search_id=${search.id}`);
  await waitForResults(page);
  await slot(page).getByRole("button", { name: "Answer from these results" }).click();
  await done(page).waitFor();
  return search;
}

/** Asserts that everything that can be tapped has at least 24 by 24 pixels. */
async function assertLargeTargets(root, selectors) {
  for (const selector of selectors) {
    for (const target of await root.locator(selector).all()) {
      const box = await target.boundingBox();
      // Hidden elements have no box.
      assert.ok(!box || (box.width >= 24 && box.height >= 24), `${selector}: ${box?.width} x ${box?.height}`);
    }
  }
}

browse("an answer shows its stages, cites its sources and is marked as extractive", { who: newUser, init: axe() }, async (page) => {
  const before = page.waitForFunction(() => document.querySelector("#answer-slot section.generating:not([hidden])"));
  await Promise.all([before, generateAnswer(page)]);
  assert.match(await done(page).locator("h2").innerText(), /Answer from \d+ sources?.*extractive/s);
  assert.match(await done(page).locator("footer").innerText(), /(\d+ of \d+|All \d+) sentences supported|1 sentence supported/);
  const cites = done(page).locator("a.cite[data-cite]");
  assert.ok((await cites.count()) > 0);
  const order = [...new Set(await cites.allInnerTexts())];
  assert.deepEqual(order, order.map((_, place) => String(place + 1)), "numbered in the order of reading");
  assert.equal(await done(page).locator(".tiles li").count(), order.length);
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

browse("a stored answer is on the page from the beginning, and moves nothing", { who: newUser, init: RECORD_SHIFTS }, async (page) => {
  await generateAnswer(page);
  const text = await done(page).locator(".prose").innerText();
  for (const size of [page.viewportSize(), PHONE]) {
    await page.setViewportSize(size);
    await page.reload();
    await waitForResults(page);
    await page.waitForLoadState("networkidle");
    assert.equal(await done(page).locator(".prose").innerText(), text);
    assert.equal(await results(page).count(), 10);
    const { sum, shifts } = await layoutShift(page);
    assert.ok(sum <= SHIFT_MAX, `${size.width} pixels: ${sum}: ${JSON.stringify(shifts)}`);
  }
});

browse("an answer folds, and the browser remembers it", { who: newUser, init: axe() }, async (page) => {
  await generateAnswer(page);
  await page.reload();
  const more = done(page).getByRole("button", { name: "Show more" });
  assert.equal(await done(page).locator("footer").isVisible(), false);
  const top = async () => (await results(page).first().boundingBox()).y;
  const folded = await top();
  await more.click();
  await done(page).locator("footer").waitFor();
  assert.ok((await top()) > folded);
  await page.reload();
  assert.equal(await done(page).locator("footer").isVisible(), true, "it is open from the beginning");
  await done(page).getByRole("button", { name: "Show less" }).click();
  await page.reload();
  assert.equal(await top(), folded);
  await assertAccessible(page, "a folded answer");
});

browse("the text of a folded answer fades only if it goes on", { who: newUser }, async (page) => {
  await generateAnswer(page, { query: "why were flood warnings sent twice" });
  await page.reload();
  const text = done(page).locator(".prose");
  const state = () => text.evaluate((element) => ({ isCut: element.scrollHeight > element.clientHeight + 1, fades: getComputedStyle(element).maskImage !== "none" }));
  await page.waitForLoadState("networkidle");
  assert.deepEqual(await state(), { isCut: false, fades: false });
  await page.evaluate(() => document.querySelector(".answer.done .prose").append("river ".repeat(200)));
  await done(page).getByRole("button", { name: "Show more" }).click();
  await done(page).getByRole("button", { name: "Show less" }).click();
  assert.deepEqual(await state(), { isCut: true, fades: true });
});

browse("the list moves little while an answer is written", { who: newUser }, async (page) => {
  const search = await runSearch("flood warning", { as: me });
  await page.goto(`/?search_id=${search.id}`);
  await waitForResults(page);
  await page.evaluate(() => {
    window.tops = [];
    const record = () => {
      const top = document.querySelector("article.result").getBoundingClientRect().top;
      if (window.tops.at(-1) !== top) window.tops.push(top);
      requestAnimationFrame(record);
    };
    record();
  });
  await slot(page).locator("[data-ask]").click();
  await done(page).waitFor();
  await page.waitForLoadState("networkidle");
  const tops = await page.evaluate(() => window.tops);
  const [before, ...later] = tops;
  assert.ok(Math.min(...later) > before + 200, `it moves back: ${tops}`);
});

browse("an answer is above the first page only, and says what it was made from", { who: newUser }, async (page) => {
  await generateAnswer(page);
  const goTo = (number) => waitForRepaint(page, () => page.getByRole("link", { name: `Page ${number}`, exact: true }).click());
  await goTo(2);
  assert.equal(await done(page).isVisible(), false);
  await page.reload();
  await waitForResults(page);
  assert.equal(await done(page).isVisible(), false);
  await goTo(1);
  assert.equal(await done(page).isVisible(), true);
  const basis = done(page).locator(".basis");
  const all = (await basis.innerText()).match(/Based on all (\d+) results\./)[1];
  assert.equal(await basis.getByRole("button").count(), 0);

  await waitForRepaint(page, () => page.locator("input[name=author]").first().check());
  const again = basis.getByRole("button", { name: /Answer from (this one|these \d+)/ });
  await again.waitFor();
  assert.match(await basis.innerText(), new RegExp(`Based on all ${all} results`));
  await again.click();
  await basis.getByText(new RegExp(`Based on \\d+ of ${all} results`)).waitFor();
  assert.equal(await again.count(), 0, "it is the answer from these");
});

browse("on a phone, what is tapped is large enough", { who: newUser }, async (page) => {
  await page.setViewportSize(PHONE);
  await generateAnswer(page);
  await done(page).getByRole("button", { name: "Not helpful" }).click();
  await assertLargeTargets(slot(page), ["a.cite", "[data-fold]", ".tool", ".tiles a", ".ask-row button", "summary", ".reasons label"]);
});

browse("a search that is run again has no answer of the earlier run", { who: newUser }, async (page) => {
  const demo = (await api("GET", "/svc/searchproviders/")).filter((source) => source.active && source.default);
  const broken = await createSource("/failing/500", { name: uniqueName("Broken") });
  await generateAnswer(page, { sources: [...demo, broken] });
  await page.locator("#facets").getByRole("link", { name: "Try again" }).click();
  await done(page).waitFor({ state: "detached" });
  await waitForResults(page);
  await slot(page).getByRole("button", { name: "Answer from these results" }).waitFor();
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
  await done(page).getByRole("button", { name: "Show more" }).click();
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
  await page.goto("/");
  await page.getByRole("navigation", { name: "You" }).getByRole("link", { name: "Assistant" }).first().click();
  await page.waitForURL("**/chat/");
  await page.goto("/chat/");
  const box = page.getByRole("textbox", { name: "Your message" });
  await box.fill("Why were flood warnings sent twice?");
  const use = page.getByRole("button", { name: "Use extractive answers" });
  if (await use.count()) {
    // Enter leads to what can be done, and the question is kept until it is answered.
    await box.press("Enter");
    await page.waitForFunction(() => document.activeElement.matches("[data-serve]"));
    assert.equal(await box.inputValue(), "Why were flood warnings sent twice?");
    await use.click();
  } else {
    await box.press("Enter");
  }
  const answers = page.locator("#thread .message.theirs:not(.pending)");
  await answers.first().locator(".prose").waitFor();
  assert.equal(await box.inputValue(), "");
  assert.ok((await answers.first().innerText()).length > 40);
  await assertAccessible(page, "a chat");

  await box.fill("And when did that happen?");
  await box.press("Enter");
  await answers.nth(1).locator("footer").waitFor();
  await answers.nth(1).locator(".looked-up summary").click();
  assert.match(await answers.nth(1).locator(".looked-up").innerText(), /flood warnings sent twice/, "the subject is kept");
  await box.fill("And who is the mayor of Paris?");
  await box.press("Enter");
  await answers.nth(2).locator("footer").waitFor();
  assert.match(await answers.nth(2).innerText(), /do not contain an answer/);
  const end = await answers.nth(2).locator("footer").boundingBox();
  const composer = await page.locator(".compose").boundingBox();
  assert.ok(end.y + end.height <= composer.y, "the end is above the message box");
  await page.setViewportSize(PHONE);
  await assertLargeTargets(page.locator("#thread"), ["a.cite", ".tool", ".tiles a", "summary"]);
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
