// Results stream in as sources answer; what is being read stays where it is; every source says how it ended.

import assert from "node:assert/strict";
import { api, browse, app, person } from "./harness/app.mjs";
import { ask, better, finished, line, results, shownKeys, sum } from "./harness/pages/search.mjs";
import { openLatch, source, unique } from "./harness/records.mjs";

/** A source that may be held for long. */
const PATIENT = { config: { swirl: { connector_use: { timeout: 50 } } } };

/** From now on every result that is painted and moves is noted, in whichever frame. */
const watchPlaces = (page) =>
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

browse("the first source is shown while others are asked, and nothing jumps when they answer", { who: () => person() }, async (page) => {
  const [latch, later] = [unique("latch"), unique("latch")];
  const fast = await source("/plain/fast?strength=0.3&count=8", { name: unique("Fast") });
  const slow = await source(`/latched/${latch}/slow?strength=1&count=6`, { name: unique("Slow"), ...PATIENT });
  const last = await source(`/latched/${later}/last?strength=1&count=3`, { name: unique("Last"), ...PATIENT });
  await ask(page, "tidal barrier", { sources: [fast, slow, last] });
  await results(page).first().waitFor();
  await line(page, slow.name).filter({ hasText: "searching" }).waitFor();
  assert.match(await sum(page).innerText(), /so far.*waiting for 2 more sources/s);
  assert.match(await line(page, fast.name).innerText(), /8 of 15/);
  const first = await shownKeys(page);
  assert.equal(first.length, 8);
  // What was painted a moment ago is not being read yet.
  await page.waitForTimeout(400);
  await watchPlaces(page);
  await openLatch(latch);
  await line(page, slow.name).filter({ hasText: "6 of 13" }).waitFor();
  await better(page).waitFor();
  assert.deepEqual((await shownKeys(page)).slice(0, 8), first, "the order of what is read is the same");
  assert.deepEqual(await jumps(page), [], "at the top");

  await page.evaluate(() => scrollTo(0, 300));
  await watchPlaces(page);
  await openLatch(later);
  await finished(page);
  await better(page).waitFor();
  assert.deepEqual(await jumps(page), [], "further down");

  const said = await better(page).innerText();
  await better(page).click();
  await better(page).waitFor({ state: "hidden" });
  assert.match(said, /^Show \d+ better results?/);
  const sources = await results(page).locator(".from .source").allInnerTexts();
  assert.notEqual(sources[0], fast.name, "a better one is first now");
  assert.equal(await results(page).count(), 10);
  const ranks = await results(page).evaluateAll((all) => all.map((one) => Number(one.dataset.rank)));
  assert.deepEqual(ranks, ranks.toSorted((a, b) => a - b));
});

browse("sources that answer together make one list in the right order", { who: () => person() }, async (page) => {
  const latches = [unique("latch"), unique("latch"), unique("latch")];
  const held = (place, what, name) => source(`/latched/${latches[place]}/${what}`, { name: unique(name), ...PATIENT });
  const weak = await held(0, "weak?strength=0.3&count=4", "Weak");
  const strong = await held(1, "strong?strength=1&count=3", "Strong");
  const rest = await held(2, "rest?count=1", "Rest");
  // The page's clock stands still, so that for the page both answer in one moment, however busy the machine is.
  await page.clock.install();
  await ask(page, "tidal barrier", { sources: [weak, strong, rest] });
  await line(page, strong.name).filter({ hasText: "searching" }).waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);
  await openLatch(latches[0]);
  await results(page).nth(3).waitFor();
  await openLatch(latches[1]);
  await results(page).nth(6).waitFor();
  await results(page).first().locator(".from .source").filter({ hasText: strong.name }).waitFor();
  assert.equal(await better(page).isVisible(), false);
  await page.clock.resume();
  await openLatch(latches[2]);
  await finished(page);
});

browse("nothing is counted twice, and the list is the one of the API at the end", { who: () => person() }, async (page, { context }) => {
  const [a, b] = [await source("/copies/a?delay=30", { name: unique("CopyA") }), await source("/copies/b?delay=400", { name: unique("CopyB") })];
  await ask(page, "river lock", { sources: [a, b] });
  await finished(page);
  await page.reload();
  await finished(page);
  const keys = await shownKeys(page);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(keys.length, 4, "copies are one result");
  const id = new URL(page.url()).searchParams.get("search_id");
  const answer = await (await context.request.get(`/svc/results/?search_id=${id}`)).json();
  const titles = await results(page).locator("h2").allInnerTexts();
  assert.deepEqual(titles.map((one) => one.trim()), answer.results.map((one) => one.title.replace(/<\/?em>/g, "")));
});

browse("each source says how it ended, and the list that it is not complete", { who: () => person() }, async (page) => {
  const fine = await source("/plain/fine", { name: unique("Fine") });
  const broken = await source("/failing/500", { name: unique("Broken") });
  const busy = await source("/busy?after=40", { name: unique("Busy") });
  const mute = await source("/hanging", { name: unique("Mute"), config: { swirl: { connector_use: { timeout: 2 } } } });
  const empty = await source("/plain/empty?count=0", { name: unique("Empty") });
  await ask(page, "weir", { sources: [fine, broken, busy, mute, empty] });
  await results(page).first().waitFor();
  await line(page, mute.name).filter({ hasText: "searching" }).waitFor();
  await finished(page);
  assert.match(await line(page, fine.name).innerText(), /10 of 17 · <?[\d.]+ s/);
  assert.match(await line(page, broken.name).innerText(), /failed/);
  assert.match(await line(page, busy.name).innerText(), /rate limited(, \d+ s left)?/);
  assert.match(await line(page, mute.name).innerText(), /timed out after/);
  assert.match(await line(page, empty.name).innerText(), /nothing found/);
  const note = page.locator(".rail, #rail-note, main").getByText("These results are incomplete.").first();
  await note.waitFor();
  assert.match(await sum(page).innerText(), /3 sources did not respond/);
  for (const one of [broken, busy, mute]) assert.ok((await page.locator(".rail").innerText()).includes(one.name));
});

browse("a source that failed can be asked again", { who: () => person() }, async (page) => {
  const flaky = await source(`/failing/500`, { name: unique("Flaky") });
  await ask(page, "sluice", { sources: [flaky] });
  await finished(page);
  const repaired = { url: `${app.sources}/plain/repaired` };
  await api("PATCH", `/svc/searchproviders/${flaky.id}/`, repaired);
  await api("DELETE", `/svc/searchproviders/${flaky.id}/state/`);
  await page.getByRole("link", { name: "Try again" }).first().click();
  await results(page).first().waitFor();
  await finished(page);
  assert.match(await line(page, flaky.name).innerText(), /10 of 17/);
});
