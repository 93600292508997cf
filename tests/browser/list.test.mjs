// The list: filters, orders, stars, marks, copies, details, reasons, pages, selection, exports, addresses to share.

import assert from "node:assert/strict";
import { before } from "node:test";
import { parseCsv } from "./harness/csv.mjs";
import { api, browse, app, open, person } from "./harness/app.mjs";
import { ask, box, finished, follow, repainted, results, selectOnly, shownKeys, shownTitles, sum } from "./harness/pages/search.mjs";
import { searched, source, unique } from "./harness/records.mjs";

let me;
let reader;
let search;
before(async () => {
  me = await person();
  search = await searched("flood warning", { as: me });
});
const who = () => me;
const list = (more = "") => `/?search_id=${search.id}${more}`;
const answer = (more = "") => api("GET", `/svc/results/?search_id=${search.id}${more}`, undefined, { as: me });
const facet = (page, name) => page.locator("a.facet").filter({ hasText: name });
async function textOf(download) {
  const pieces = [];
  for await (const piece of await download.createReadStream()) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}
const plain = (title) => title.replace(/<\/?em>/g, "");

browse("the sum says how much was found, and the words are marked", { who }, async (page) => {
  await page.goto(list());
  await finished(page);
  assert.match(await sum(page).innerText(), /55 results of 93 found in [\d.]+ s/);
  const marks = await results(page).first().locator("mark").allInnerTexts();
  assert.ok(marks.some((mark) => /flood/i.test(mark)) && marks.some((mark) => /warning/i.test(mark)));
  assert.equal(await results(page).count(), 10);
});

browse("filters by source, author, date; the counts are right, and Back undoes them", { who }, async (page) => {
  const { info } = await answer("&facets=true");
  await page.goto(list());
  await finished(page);
  const unfiltered = await shownKeys(page);
  for (const { name, count } of info.facets.sources) assert.equal(Number(await facet(page, name).first().locator(".num").innerText()), count, name);
  await follow(page, facet(page, "Tickets - Riverbend").first());
  assert.deepEqual(new Set(await results(page).locator(".from .source").allInnerTexts()), new Set(["Tickets - Riverbend"]));
  const tickets = info.facets.sources.find((one) => one.name.startsWith("Tickets")).count;
  assert.match(await sum(page).innerText(), new RegExp(`^${tickets} results`));
  await repainted(page, () => page.goBack());
  assert.deepEqual(await shownKeys(page), unfiltered);
  await follow(page, page.getByRole("link", { name: "Exclude Newsroom - Riverbend" }));
  assert.ok(!(await results(page).locator(".from .source").allInnerTexts()).includes("Newsroom - Riverbend"));
  await follow(page, page.getByRole("link", { name: "Clear filters" }));
  const author = info.facets.authors[0];
  await follow(page, facet(page, author.name).first());
  for (const meta of await results(page).locator(".meta").allInnerTexts()) assert.ok(meta.includes(author.name), meta);
  assert.equal(await results(page).count(), Math.min(10, author.count));
  await follow(page, page.getByRole("link", { name: "Clear filters" }));
  await follow(page, facet(page, "Older").first());
  const year = new Date().getFullYear();
  for (const day of await results(page).locator("time").evaluateAll((all) => all.map((one) => one.dateTime))) assert.ok(Number(day.slice(0, 4)) < year, day);
});

browse("stars stand above the threshold, in every order, and filter the list", { who }, async (page) => {
  await page.goto(list());
  await finished(page);
  const rows = await results(page).evaluateAll((all) => all.map((one) => [one.querySelector(".conf .num").textContent.replace(/[^\d.]/g, ""), one.querySelector(".star") !== null]));
  for (const [confidence, isStarred] of rows) assert.equal(Number(confidence) > 0.7, isStarred, confidence);
  const { info } = await answer("&facets=true&starred=true");
  await follow(page, facet(page, "Starred only"));
  assert.match(await sum(page).innerText(), new RegExp(`^${info.facets.starred} results?`));
  assert.equal(await results(page).locator(".star").count(), await results(page).count());
  await page.goto(list("&sort=DateMixer&starred=true"));
  await finished(page);
  assert.equal(await results(page).locator(".star").count(), await results(page).count());
});

browse("every order is offered and is the one of the API", { who }, async (page) => {
  await page.goto(list());
  await finished(page);
  const offered = await page.locator(".orders a[href*='sort=']").evaluateAll((all) => all.map((link) => new URL(link.href).searchParams.get("sort")));
  const names = await api("GET", "/svc/mixers/", undefined, { as: me }).then((all) => all.map((one) => one.name));
  assert.ok(names.length >= 8, String(names));
  for (const name of names) assert.ok(offered.includes(name), `${name} is not offered`);
  for (const name of new Set(offered)) {
    const expected = await answer(`&result_mixer=${name}`);
    await page.goto(list(`&sort=${name}`));
    await finished(page);
    assert.deepEqual(await shownTitles(page), expected.results.map((one) => plain(one.title)), name);
    assert.ok((await page.locator(".orders [aria-current=true]").count()) >= 1, name);
  }
});

browse("copies of one document are one result that names them", { who }, async (page) => {
  await page.goto(list());
  await finished(page);
  const copies = results(page).locator("details.copies").first();
  assert.match(await copies.locator("summary").innerText(), /1 more copy: \w+/);
  await copies.locator("summary").click();
  await copies.locator("li a").first().waitFor();
});

browse("details show what else the source said, and why draws the parts of the confidence", { who }, async (page) => {
  const provider = await source("/plain/collection?strength=1", { name: unique("Collection") });
  const own = await searched("canal bridge", { as: me, sources: [provider] });
  await page.goto(`/?search_id=${own.id}`);
  await finished(page);
  const first = results(page).first();
  await first.locator("details.details summary").click();
  const payload = await first.locator(".payload").innerText();
  assert.match(payload, /collection/);
  assert.match(payload, /Rank at the source/);
  assert.match(payload, /https:\/\/collection\.example\/documents\/\d+/);
  await first.locator("details.why summary").click();
  const parts = (await first.locator(".why .key b").allInnerTexts()).map(Number);
  const confidence = Number((await first.locator(".conf .num").innerText()).replace(/[^\d.]/g, ""));
  const whole = parts.reduce((all, part) => all + part, 0);
  assert.ok(Math.abs(whole - confidence) < 0.05, `${parts} should be ${confidence}`);
  const widths = await first.locator("svg.parts rect").evaluateAll((all) => all.map((one) => Number(one.getAttribute("width"))));
  assert.ok(Math.abs(widths.reduce((all, part) => all + part, 0) - 1000) < 5);
  assert.match(await first.locator(".why").innerText(), /In the title:\s*.*canal/s);
});

browse("pages follow each other without a repetition, and have addresses", { who }, async (page) => {
  await page.goto(list());
  await finished(page);
  const seen = await shownKeys(page);
  await follow(page, page.getByRole("link", { name: "Next" }).last());
  assert.match(page.url(), /page=2/);
  const second = await shownKeys(page);
  assert.equal(second.length, 10);
  assert.ok(second.every((key) => !seen.includes(key)));
  await page.reload();
  await finished(page);
  assert.deepEqual(await shownKeys(page), second);
  await follow(page, page.getByRole("link", { name: /^Page 6$/ }).last());
  assert.equal(await results(page).count(), 5);
  assert.equal(await page.getByRole("link", { name: "Next" }).count(), 0);
  await follow(page, page.getByRole("link", { name: "Previous" }).last());
  assert.match(page.url(), /page=5/);
});

browse("the list is exported as it is filtered", { who }, async (page) => {
  await page.goto(list("&starred=true&sort=DateMixer"));
  await finished(page);
  await page.locator("summary", { hasText: "Export" }).first().click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: /^CSV/ }).first().click()]);
  assert.match(download.suggestedFilename(), /\.csv$/);
  const rows = parseCsv(await textOf(download));
  const expected = await answer("&starred=true&result_mixer=DateMixer");
  assert.equal(rows.length - 1, expected.info.results.retrieved_total);
  const title = rows[0].indexOf("title");
  assert.deepEqual(rows.slice(1, 4).map((row) => plain(row[title])), expected.results.slice(0, 3).map((one) => plain(one.title)));
});

browse("an address can be shared: it asks the same, for whoever opens it, once", { who }, async (page, { context }) => {
  const provider = await source("/plain/shared", { name: unique("Shared") });
  await ask(page, "ferry timetable", { sources: [provider] });
  await finished(page);
  assert.match(page.url(), /search_id=\d+/, "a reload does not ask again");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("Link copied").waitFor();
  const address = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(new URL(address).searchParams.get("q"), "ferry timetable");
  const other = await person();
  const count = async () => (await api("GET", "/svc/search/?search_only=true", undefined, { as: other })).count;
  const theirs = await open({ who: other });
  try {
    // A browser that only looks ahead asks nobody.
    const ahead = await theirs.context.request.get(address, { headers: { "sec-purpose": "prefetch" } });
    assert.ok(ahead.status() < 500);
    assert.equal(await count(), 0, "looking ahead starts no search");
    await theirs.page.goto(address);
    await finished(theirs.page);
    assert.deepEqual(new Set(await results(theirs.page).locator(".from .source").allInnerTexts()), new Set([provider.name]));
    assert.equal(await count(), 1);
    await theirs.page.reload();
    await finished(theirs.page);
    assert.equal(await count(), 1, "a reload starts no second search");
  } finally {
    await theirs.context.close();
  }
});

browse("an address ticks the sources that it names, and a refused one keeps them", { who }, async (page) => {
  const ticked = () => page.locator("#pick input[name=sources]:checked").evaluateAll((all) => all.map((one) => one.value).sort());
  for (const path of ["/?sources=2,3", "/?sources=2&sources=3", `/?q=${"x".repeat(3000)}&sources=2,3`]) {
    await page.goto(path);
    assert.deepEqual(await ticked(), ["2", "3"], path.slice(0, 40));
  }
  await page.goto("/?sources=2,3");
  assert.match(await page.locator("#pick summary").innerText(), /^2 of \d+ sources$/);
  await box(page).fill("flood warning");
  await box(page).press("Enter");
  await finished(page);
  assert.equal(await page.locator(".src").count(), 2);
  assert.equal(await page.locator("h1").first().textContent(), "Results for flood warning");
});

browse("on paper there is the list and nothing to press", { who, look: "dark" }, async (page) => {
  await page.goto(list());
  await finished(page);
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator("button:visible, input:visible, select:visible, .bar:visible, .side:visible").count(), 0);
  assert.equal(await page.getByRole("heading", { name: "Results for flood warning" }).isVisible(), true);
  const address = await results(page).first().locator("h2 a").evaluate((link) => getComputedStyle(link, "::after").content);
  assert.match(address, /^"https:\/\//);
  const paper = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--card"));
  assert.equal(paper, "#fff", "paper is light");
  assert.ok((await page.pdf()).length > 5_000);
});

browse("tags choose sources", { who: () => person() }, async (page) => {
  await page.goto("/");
  await page.locator("label.chip", { hasText: "#tickets" }).click();
  await box(page).fill("battery");
  await box(page).press("Enter");
  await finished(page);
  assert.deepEqual(new Set(await results(page).locator(".from .source").allInnerTexts()), new Set(["Tickets - Riverbend"]));
});

browse("the picker ticks all, as usual, or one by one", { who: () => person() }, async (page) => {
  await page.goto("/");
  await page.locator("#pick summary").click();
  const ticked = () => page.locator("#pick input[name=sources]:checked").count();
  const all = await page.locator("#pick input[name=sources]").count();
  const usual = await ticked();
  await page.locator("#pick-all").check();
  assert.equal(await ticked(), all);
  await page.locator("#pick-all").uncheck();
  assert.equal(await ticked(), 0);
  await page.locator("#pick-default").click();
  assert.equal(await ticked(), usual);
  await page.locator("#pick label", { hasText: "Newsroom - Riverbend" }).click();
  assert.equal(await ticked(), usual - 1);
});

browse("details of all results are shown at once", { who }, async (page) => {
  await page.goto(list());
  await finished(page);
  await page.locator("#show-details").check();
  assert.equal(await page.locator("details.details[open]").count(), 10);
  await page.locator("#show-details").uncheck();
  assert.equal(await page.locator("details.details[open]").count(), 0);
});

browse("a source is lowered from one of its results", { who: async () => (reader = await person()) }, async (page) => {
  const own = await searched("flood warning", { as: reader });
  await page.goto(`/?search_id=${own.id}`);
  await finished(page);
  await results(page).first().locator("details.details summary").click();
  const name = await results(page).first().locator(".from .source").innerText();
  await results(page).first().getByRole("group", { name: `Preference for ${name}` }).getByRole("button", { name: "Lower" }).click();
  await page.getByText(`${name} will rank lower`).waitFor();
  const { sources } = await api("GET", "/svc/preferences/", undefined, { as: reader });
  assert.deepEqual(sources.map((one) => [one.name, one.wish]), [[name, "lower"]]);
});

browse("nothing found is said with what may help", { who }, async (page) => {
  await ask(page, "xylophonequartz", {});
  await finished(page);
  await page.getByText("No results.").waitFor();
  assert.equal(new URL(page.url()).origin, app.base);
});

browse("selected results are what an answer is made from", { who }, async (page) => {
  await page.goto(list());
  await finished(page);
  await page.evaluate(() => document.addEventListener("tributary:selection", (event) => (window.chosen = event.detail.ids)));
  await selectOnly(page, 1);
  const ids = await page.evaluate(() => window.chosen);
  assert.equal(ids.length, 1);
  assert.equal(String(ids[0]), await results(page).nth(1).getAttribute("data-id"));
});
