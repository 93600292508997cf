// Results stream as sources respond; results that are being read do not move; every source shows its status.

import assert from "node:assert/strict";
import { api, browse, app, createUser } from "./harness/app.mjs";
import { submitQuery, betterButton, waitForResults, sourceLine, sourceStatus, results, shownKeys, sum } from "./harness/pages/search.mjs";
import { openLatch, createSource, uniqueName } from "./harness/records.mjs";

/** Configuration of a source that may be held for long. */
const LONG_TIMEOUT = { config: { swirl: { connector_use: { timeout: 50 } } } };

/** Records from now on which painted results move, in every frame. */
const recordJumps = (page) =>
  page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    await frame();
    const tops = () => [...document.querySelectorAll("article.result")].map((one) => /** @type {const} */ ([one.dataset.key, Math.round(one.getBoundingClientRect().top)]));
    const start = new Map(tops());
    const own = (window.jumps = []);
    const look = () => {
      for (const [key, top] of tops()) if (start.has(key) && Math.abs(start.get(key) - top) > 1) own.push(`${key} from ${start.get(key)} to ${top}`);
      if (window.jumps === own && own.length < 10) requestAnimationFrame(look);
    };
    look();
  });
const jumps = (page) => page.evaluate(() => window.jumps);

browse("results of the first source are shown while others are searched, and do not move when they respond", { who: () => createUser() }, async (page) => {
  const [latch, later] = [uniqueName("latch"), uniqueName("latch")];
  const fast = await createSource("/plain/fast?strength=0&count=8", { name: uniqueName("Fast") });
  const slow = await createSource(`/latched/${latch}/slow?strength=1&count=6`, { name: uniqueName("Slow"), ...LONG_TIMEOUT });
  const last = await createSource(`/latched/${later}/last?strength=1&count=3`, { name: uniqueName("Last"), ...LONG_TIMEOUT });
  await submitQuery(page, "tidal barrier", { sources: [fast, slow, last] });
  await results(page).first().waitFor();
  await sourceLine(page, slow.name).filter({ hasText: "searching" }).waitFor();
  assert.match(await sum(page).innerText(), /so far.*waiting for 2 more sources/s);
  assert.match(await sourceStatus(page, fast.name).innerText(), /^8 ·/);
  assert.equal(await sourceStatus(page, fast.name).getAttribute("title"), "8 of 15");
  const first = await shownKeys(page);
  assert.equal(first.length, 8);
  // Results may still move for a moment after they were painted.
  await page.waitForTimeout(400);
  await recordJumps(page);
  await openLatch(latch);
  await sourceStatus(page, slow.name).filter({ hasText: /^6 ·/ }).waitFor();
  await betterButton(page).waitFor();
  assert.deepEqual((await shownKeys(page)).slice(0, 8), first, "the shown results keep their order");
  assert.deepEqual(await jumps(page), [], "at the top");

  await page.evaluate(() => scrollTo(0, 300));
  await recordJumps(page);
  await openLatch(later);
  await waitForResults(page);
  await betterButton(page).waitFor();
  assert.deepEqual(await jumps(page), [], "further down");

  const label = await betterButton(page).innerText();
  await betterButton(page).click();
  await betterButton(page).waitFor({ state: "hidden" });
  assert.match(label, /^Show \d+ better results?/);
  const sources = await results(page).locator(".from .source").allInnerTexts();
  assert.notEqual(sources[0], fast.name, "a better result is first now");
  assert.equal(await results(page).count(), 10);
  const ranks = await results(page).evaluateAll((all) => all.map((one) => Number(one.dataset.rank)));
  assert.deepEqual(ranks, ranks.toSorted((a, b) => a - b));
});

browse("sources that respond at the same time make one list in the right order", { who: () => createUser() }, async (page) => {
  const latches = [uniqueName("latch"), uniqueName("latch"), uniqueName("latch")];
  const createLatched = (place, what, name) => createSource(`/latched/${latches[place]}/${what}`, { name: uniqueName(name), ...LONG_TIMEOUT });
  const weak = await createLatched(0, "weak?strength=0&count=4", "Weak");
  const strong = await createLatched(1, "strong?strength=1&count=3", "Strong");
  const rest = await createLatched(2, "rest?count=1", "Rest");
  // The clock of the page is paused, so that for the page both respond at the same time, even on a busy machine.
  await page.clock.install();
  await submitQuery(page, "tidal barrier", { sources: [weak, strong, rest] });
  await sourceLine(page, strong.name).filter({ hasText: "searching" }).waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);
  await openLatch(latches[0]);
  await results(page).nth(3).waitFor();
  await openLatch(latches[1]);
  await results(page).nth(6).waitFor();
  await results(page).first().locator(".from .source").filter({ hasText: strong.name }).waitFor();
  assert.equal(await betterButton(page).isVisible(), false);
  await page.clock.resume();
  await openLatch(latches[2]);
  await waitForResults(page);
});

browse("duplicates are merged, and the final list equals that of the API", { who: () => createUser() }, async (page, { context }) => {
  const [a, b] = [await createSource("/copies/a?delay=30", { name: uniqueName("CopyA") }), await createSource("/copies/b?delay=400", { name: uniqueName("CopyB") })];
  await submitQuery(page, "river lock", { sources: [a, b] });
  await waitForResults(page);
  await page.reload();
  await waitForResults(page);
  const keys = await shownKeys(page);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(keys.length, 4, "duplicates are one result");
  const id = new URL(page.url()).searchParams.get("search_id");
  const answer = await (await context.request.get(`/svc/results/?search_id=${id}`)).json();
  const titles = await results(page).locator("h2").allInnerTexts();
  assert.deepEqual(titles.map((one) => one.trim()), answer.results.map((one) => one.title.replace(/<\/?em>/g, "")));
});

browse("each source shows its status, and the list that it is incomplete", { who: () => createUser() }, async (page) => {
  const fine = await createSource("/plain/fine", { name: uniqueName("Fine") });
  const broken = await createSource("/failing/500", { name: uniqueName("Broken") });
  const busy = await createSource("/busy?after=300", { name: uniqueName("Busy") });
  const mute = await createSource("/hanging", { name: uniqueName("Mute"), config: { swirl: { connector_use: { timeout: 2 } } } });
  const empty = await createSource("/plain/empty?count=0", { name: uniqueName("Empty") });
  await submitQuery(page, "weir", { sources: [fine, broken, busy, mute, empty] });
  await results(page).first().waitFor();
  await sourceLine(page, mute.name).filter({ hasText: "searching" }).waitFor();
  await waitForResults(page);
  assert.match(await sourceStatus(page, fine.name).innerText(), /^10 · <?[\d.]+ s$/);
  assert.match(await sourceLine(page, broken.name).innerText(), /failed/);
  assert.match(await sourceLine(page, busy.name).innerText(), /rate limited, 5 minutes left/);
  assert.match(await sourceLine(page, mute.name).innerText(), /timed out after/);
  assert.match(await sourceStatus(page, empty.name).innerText(), /^0 ·/);
  await page.locator("#facets").getByText("These results are incomplete.").waitFor();
  assert.match(await sum(page).innerText(), /3 sources did not respond/);
  for (const one of [broken, busy, mute]) await sourceLine(page, one.name).locator(".mark").filter({ hasText: "⚠" }).waitFor();
});

browse("impatient key presses and clicks make one search, and blanks none", { who: () => createUser() }, async (page) => {
  const source = await createSource("/plain/impatient?count=2", { name: uniqueName("Impatient") });
  const started = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && new URL(request.url()).pathname === "/search/") started.push(request);
  });
  await submitQuery(page, "   ", { sources: [source] });
  assert.equal(await page.locator("#q:invalid").inputValue(), "", "the browser asks for a query");
  await page.locator("#q").fill("tidal barrier");
  await page.evaluate(() => {
    const form = document.querySelector("#ask");
    for (let click = 0; click < 4; click += 1) form.requestSubmit();
  });
  await waitForResults(page);
  assert.equal(started.length, 1);
});

browse("a failed source can be searched again", { who: () => createUser() }, async (page) => {
  const flaky = await createSource(`/failing/500`, { name: uniqueName("Flaky") });
  await submitQuery(page, "sluice", { sources: [flaky] });
  await waitForResults(page);
  const repaired = { url: `${app.sources}/plain/repaired` };
  await api("PATCH", `/svc/searchproviders/${flaky.id}/`, repaired);
  await api("DELETE", `/svc/searchproviders/${flaky.id}/state/`);
  await page.getByRole("link", { name: "Try again" }).first().click();
  await results(page).first().waitFor();
  await waitForResults(page);
  assert.match(await sourceStatus(page, flaky.name).innerText(), /^10 ·/);
});
