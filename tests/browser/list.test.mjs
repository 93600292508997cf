// The list of results: filters, sort orders, stars, highlights, duplicates, details, explanations, pages, selection, exports
// and shared links.

import assert from "node:assert/strict";
import { before } from "node:test";
import { parseCsv } from "./harness/csv.mjs";
import { api, browse, openPage, createUser } from "./harness/app.mjs";
import { submitQuery, searchBox, waitForResults, followLink, openListMenu, waitForRepaint, results, selectOnly, shownKeys, shownTitles, sourceLine, sum, toggleFilter } from "./harness/pages/search.mjs";
import { PHONE, assertNarrow } from "./harness/narrow.mjs";
import { runSearch, createSource, uniqueName } from "./harness/records.mjs";

let me;
let reader;
let search;
before(async () => {
  me = await createUser();
  search = await runSearch("flood warning", { as: me });
});
const who = () => me;
const list = (more = "") => `/?search_id=${search.id}${more}`;
const getResults = (more = "") => api("GET", `/svc/results/?search_id=${search.id}${more}`, undefined, { as: me });
const facet = (page, name) => page.locator(".facet").filter({ hasText: name });
const authorBox = (page, name) => page.locator(`#facets input[name=author][value=${JSON.stringify(name)}]`);
async function textOf(download) {
  const pieces = [];
  for await (const piece of await download.createReadStream()) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}
const plain = (title) => title.replace(/<\/?em>/g, "");

browse("the header shows the number of results, and matches are highlighted", { who }, async (page) => {
  await page.goto(list());
  await waitForResults(page);
  assert.match(await sum(page).innerText(), /55 results of 93 found in <?[\d.]+ s/);
  const marks = await results(page).first().locator("mark").allInnerTexts();
  assert.ok(marks.some((mark) => /flood/i.test(mark)) && marks.some((mark) => /warning/i.test(mark)));
  assert.equal(await results(page).count(), 10);
});

browse("filters by source, author and date have correct counts, and Back undoes them", { who }, async (page) => {
  const { info } = await getResults("&facets=true");
  await page.goto(list());
  await waitForResults(page);
  const unfiltered = await shownKeys(page);
  for (const { name, count } of info.facets.sources) assert.match(await sourceLine(page, name).locator(".t").innerText(), new RegExp(`^${count} ·`), name);
  await toggleFilter(page, sourceLine(page, "Tickets - Riverbend").getByRole("checkbox"));
  assert.deepEqual(new Set(await results(page).locator(".from .source").allInnerTexts()), new Set(["Tickets - Riverbend"]));
  const tickets = info.facets.sources.find((one) => one.name.startsWith("Tickets")).count;
  assert.match(await sum(page).innerText(), new RegExp(`^${tickets} results`));
  await waitForRepaint(page, () => page.goBack());
  assert.deepEqual(await shownKeys(page), unfiltered);
  await followLink(page, page.getByRole("link", { name: "Exclude Newsroom - Riverbend" }));
  assert.ok(!(await results(page).locator(".from .source").allInnerTexts()).includes("Newsroom - Riverbend"));
  await followLink(page, page.getByRole("link", { name: "Clear filters" }));
  const author = info.facets.authors[0];
  await toggleFilter(page, authorBox(page, author.name));
  for (const name of await results(page).locator(".author").allInnerTexts()) assert.ok(name.includes(author.name), name);
  assert.equal(await results(page).count(), Math.min(10, author.count));
  await followLink(page, page.getByRole("link", { name: "Clear filters" }));
  await followLink(page, facet(page, "Older").first());
  const year = new Date().getFullYear();
  for (const day of await results(page).locator("time").evaluateAll((all) => all.map((one) => one.dateTime))) assert.ok(Number(day.slice(0, 4)) < year, day);
});

browse("results above the threshold have a star in every sort order, and can be filtered", { who }, async (page) => {
  await page.goto(list());
  await waitForResults(page);
  const rows = await results(page).evaluateAll((all) => all.map((one) => [one.querySelector(".conf .num").textContent.replace(/[^\d.]/g, ""), one.querySelector(".star") !== null]));
  for (const [confidence, isStarred] of rows) assert.equal(Number(confidence) > 0.7, isStarred, confidence);
  const { info } = await getResults("&facets=true&starred=true");
  await toggleFilter(page, facet(page, "Starred only").getByRole("checkbox"));
  assert.match(await sum(page).innerText(), new RegExp(`^${info.facets.starred} results?`));
  assert.equal(await results(page).locator(".star").count(), await results(page).count());
  await page.goto(list("&sort=DateMixer&starred=true"));
  await waitForResults(page);
  assert.equal(await results(page).locator(".star").count(), await results(page).count());
});

browse("every sort order is offered and equals that of the API", { who }, async (page) => {
  await page.goto(list());
  await waitForResults(page);
  const offered = await page.locator(".orders a[href*='sort=']").evaluateAll((all) => all.map((link) => new URL(link.href).searchParams.get("sort")));
  const names = await api("GET", "/svc/mixers/", undefined, { as: me }).then((all) => all.map((one) => one.name));
  assert.ok(names.length >= 8, String(names));
  for (const name of names) assert.ok(offered.includes(name), `${name} is not offered`);
  for (const name of new Set(offered)) {
    const expected = await getResults(`&result_mixer=${name}`);
    await page.goto(list(`&sort=${name}`));
    await waitForResults(page);
    assert.deepEqual(await shownTitles(page), expected.results.map((one) => plain(one.title)), name);
    assert.ok((await page.locator(".orders [aria-current=true]").count()) >= 1, name);
  }
});

browse("duplicates are one result that lists its copies", { who }, async (page) => {
  await page.goto(list());
  await waitForResults(page);
  const copies = results(page).locator("details.copies").first();
  assert.match(await copies.locator("summary").innerText(), /1 more copy: \w+/);
  await copies.locator("summary").click();
  await copies.locator("li a").first().waitFor();
});

browse("the names of copies have the space that the actions leave", { who, width: 1280, height: 900 }, async (page) => {
  const name = (word) => uniqueName(`Reports of the office for ${word}`);
  const sources = [await createSource("/copies/first", { name: name("dams") }), await createSource("/copies/second", { name: name("weirs") })];
  const search = await runSearch("spillway", { as: me, sources });
  await page.goto(`/?search_id=${search.id}`);
  await waitForResults(page);
  const summary = page.locator(".copies > summary").first();
  assert.ok(await summary.evaluate((element) => element.scrollWidth <= element.clientWidth), await summary.innerText());
  const top = async (locator) => (await locator.boundingBox()).y;
  assert.ok(Math.abs((await top(summary)) - (await top(results(page).first().locator("[data-preview]")))) < 8, "one line");
  await summary.click();
  await results(page).first().locator(".copies li").first().waitFor();
});

browse("details show other fields, and the explanation shows the parts of the confidence", { who }, async (page) => {
  const provider = await createSource("/plain/collection?strength=1", { name: uniqueName("Collection") });
  const own = await runSearch("canal bridge", { as: me, sources: [provider] });
  await page.goto(`/?search_id=${own.id}`);
  await waitForResults(page);
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

browse("pages have no result twice, and have URLs", { who }, async (page) => {
  await page.goto(list());
  await waitForResults(page);
  const first = await shownKeys(page);
  await followLink(page, page.getByRole("link", { name: "Next" }).last());
  assert.match(page.url(), /page=2/);
  const second = await shownKeys(page);
  assert.equal(second.length, 10);
  assert.ok(second.every((key) => !first.includes(key)));
  await page.reload();
  await waitForResults(page);
  assert.deepEqual(await shownKeys(page), second);
  await followLink(page, page.getByRole("link", { name: /^Page 6$/ }).last());
  assert.equal(await results(page).count(), 5);
  assert.equal(await page.getByRole("link", { name: "Next" }).count(), 0);
  await followLink(page, page.getByRole("link", { name: "Previous" }).last());
  assert.match(page.url(), /page=5/);
});

browse("an export has the filtered list", { who }, async (page) => {
  await page.goto(list("&starred=true&sort=DateMixer"));
  await waitForResults(page);
  await openListMenu(page);
  await page.locator("summary", { hasText: "Export" }).first().click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: /^CSV/ }).first().click()]);
  assert.match(download.suggestedFilename(), /\.csv$/);
  const rows = parseCsv(await textOf(download));
  const expected = await getResults("&starred=true&result_mixer=DateMixer");
  assert.equal(rows.length - 1, expected.info.results.retrieved_total);
  const title = rows[0].indexOf("title");
  assert.deepEqual(rows.slice(1, 4).map((row) => plain(row[title])), expected.results.slice(0, 3).map((one) => plain(one.title)));
});

browse("a shared link runs the same search once for the user who opens it", { who }, async (page, { context }) => {
  const provider = await createSource("/plain/shared", { name: uniqueName("Shared") });
  await submitQuery(page, "ferry timetable", { sources: [provider] });
  await waitForResults(page);
  assert.match(page.url(), /search_id=\d+/, "a reload does not search again");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openListMenu(page);
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("Link copied").waitFor();
  const address = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(new URL(address).searchParams.get("q"), "ferry timetable");
  const other = await createUser();
  const count = async () => (await api("GET", "/svc/search/?search_only=true", undefined, { as: other })).count;
  const otherTab = await openPage({ who: other });
  try {
    // A browser that prefetches the link starts no search.
    const ahead = await otherTab.context.request.get(address, { headers: { "sec-purpose": "prefetch" } });
    assert.ok(ahead.status() < 500);
    assert.equal(await count(), 0, "prefetching starts no search");
    await otherTab.page.goto(address);
    await waitForResults(otherTab.page);
    assert.deepEqual(new Set(await results(otherTab.page).locator(".from .source").allInnerTexts()), new Set([provider.name]));
    assert.equal(await count(), 1);
    await otherTab.page.reload();
    await waitForResults(otherTab.page);
    assert.equal(await count(), 1, "a reload starts no second search");
  } finally {
    await otherTab.context.close();
  }
});

browse("a URL selects the sources that it names, also if its query is refused", { who }, async (page) => {
  const ticked = () => page.locator("#pick input[name=sources]:checked").evaluateAll((all) => all.map((one) => one.value).sort());
  for (const path of ["/?sources=2,3", "/?sources=2&sources=3", `/?q=${"x".repeat(3000)}&sources=2,3`]) {
    await page.goto(path);
    assert.deepEqual(await ticked(), ["2", "3"], path.slice(0, 40));
  }
  await page.goto("/?sources=2,3");
  assert.match(await page.locator("#pick summary").innerText(), /^2 of \d+ sources$/);
  await searchBox(page).fill("flood warning");
  await searchBox(page).press("Enter");
  await waitForResults(page);
  assert.equal(await page.locator(".src").count(), 2);
  assert.equal(await page.locator("h1").first().textContent(), "Results for flood warning");
});

browse("a printed page has the list and no controls", { who, look: "dark" }, async (page) => {
  await page.goto(list());
  await waitForResults(page);
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator("button:visible, input:visible, select:visible, .bar:visible, .side:visible").count(), 0);
  assert.equal(await page.getByRole("heading", { name: "Results for flood warning" }).isVisible(), true);
  const address = await results(page).first().locator("h2 a").evaluate((link) => getComputedStyle(link, "::after").content);
  assert.match(address, /^"https:\/\//);
  const paper = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--card"));
  assert.equal(paper, "#fff", "printed pages are light");
  assert.ok((await page.pdf()).length > 5_000);
});

browse("tags select sources", { who: () => createUser() }, async (page) => {
  await page.goto("/?tags=tickets");
  const tag = page.locator("label.chip", { hasText: "#tickets" });
  assert.ok(await tag.getByRole("checkbox").isChecked());
  await page.goto("/");
  if (await page.locator(".more-tags").count()) await page.locator(".more-tags > summary").click();
  await tag.click();
  await searchBox(page).fill("battery");
  await searchBox(page).press("Enter");
  await waitForResults(page);
  assert.deepEqual(new Set(await results(page).locator(".from .source").allInnerTexts()), new Set(["Tickets - Riverbend"]));
});

browse("a long list of tags is folded", { who: () => createUser() }, async (page) => {
  const sources = [];
  for (let number = 1; number <= 13; number += 1) sources.push(await createSource(`/plain/t${number}?count=1`, { name: uniqueName("Tagged"), tags: [uniqueName("zone")] }));
  await page.goto("/");
  const tags = page.locator(".tags .chip");
  assert.ok((await tags.count()) > 12);
  assert.equal(await page.locator(".tags > .chip").count(), 10);
  const last = tags.last();
  assert.ok(await last.isHidden());
  await page.getByText("More tags").click();
  await last.click();
  await page.locator("#pick > summary").getByText(/^\d+ of \d+ sources$/).waitFor();
  for (const { id } of sources) await api("DELETE", `/svc/searchproviders/${id}/`);
});

browse("the picker selects all sources, the default ones, or single ones", { who: () => createUser() }, async (page) => {
  await page.goto("/");
  await page.locator("#pick summary").click();
  const ticked = () => page.locator("#pick input[name=sources]:checked").count();
  const all = await page.locator("#pick input[name=sources]").count();
  const defaults = await ticked();
  await page.locator("#pick-all").check();
  assert.equal(await ticked(), all);
  await page.locator("#pick-all").uncheck();
  assert.equal(await ticked(), 0);
  await page.locator("#pick-default").click();
  assert.equal(await ticked(), defaults);
  await page.locator("#pick label", { hasText: "Newsroom - Riverbend" }).click();
  assert.equal(await ticked(), defaults - 1);
});

browse("in a long picker, a source is found by its name", { who: () => createUser() }, async (page) => {
  const sources = [];
  for (let number = 1; number <= 12; number += 1) sources.push(await createSource(`/plain/p${number}?count=1`, { name: uniqueName(`Pick ${number}`), tags: ["quay"] }));
  await page.goto("/");
  await page.locator("#pick summary").click();
  const box = page.locator("#pick").getByRole("searchbox", { name: "Find a source" });
  await box.fill(sources[6].name.toUpperCase());
  await page.locator("#pick label:visible", { hasText: sources[0].name }).waitFor({ state: "hidden" });
  assert.deepEqual(await page.locator(".pick-list label:visible .name").allInnerTexts(), [sources[6].name]);
  assert.equal(await page.locator(".pick-list fieldset:visible").count(), 1, "groups without a match are hidden");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#page").isHidden(), true, "Enter starts no search");
  await page.locator(".pick-list label:visible").click();
  assert.equal(await page.locator(`#pick input[value="${sources[6].id}"]`).isChecked(), true);
  await box.fill("");
  await page.locator("#pick label:visible", { hasText: sources[0].name }).waitFor();
});

browse("a switch shows the details of all results", { who }, async (page) => {
  await page.goto(list());
  await waitForResults(page);
  await openListMenu(page);
  await page.locator("#show-details").check();
  assert.equal(await page.locator("details.details[open]").count(), 10);
  await page.locator("#show-details").uncheck();
  assert.equal(await page.locator("details.details[open]").count(), 0);
});

browse("a source is lowered from one of its results", { who: async () => (reader = await createUser()) }, async (page) => {
  const lowered = await runSearch("flood warning", { as: reader });
  await page.goto(`/?search_id=${lowered.id}`);
  await waitForResults(page);
  await results(page).first().locator("details.details summary").click();
  const name = await results(page).first().locator(".from .source").innerText();
  await results(page).first().getByRole("group", { name: `Preference for ${name}` }).getByRole("button", { name: "Lower" }).click();
  await page.getByText(`${name} will rank lower`).waitFor();
  const { sources } = await api("GET", "/svc/preferences/", undefined, { as: reader });
  assert.deepEqual(sources.map((one) => [one.name, one.wish]), [[name, "lower"]]);
});

browse("an empty list says what was searched and offers other searches", { who }, async (page) => {
  const empty = await createSource("/plain/none?count=0", { name: uniqueName("None") });
  const broken = await createSource("/failing/500", { name: uniqueName("Broken") });
  await submitQuery(page, "river xylophonequartz", { sources: [empty, broken] });
  await waitForResults(page);
  const help = page.locator(".no-results");
  await help.getByRole("heading", { name: "No results for “river xylophonequartz”" }).waitFor();
  assert.match(await help.innerText(), new RegExp(`2 sources were searched. One did not respond:\\s+${broken.name} failed`));
  assert.equal(await page.locator("#more:visible, .orders:visible").count(), 0, "no tools for an empty list");
  assert.equal(await page.getByRole("heading", { name: "Date" }).count(), 0);
  await help.getByRole("button", { name: "Notify me of new results" }).click();
  await help.getByText("You subscribed to this search.").waitFor();
  await page.reload();
  await waitForResults(page);
  await help.getByText("You subscribed to this search.").waitFor();
  const id = new URL(page.url()).searchParams.get("search_id");
  assert.equal((await api("GET", `/svc/search/${id}/`, undefined, { as: me })).subscribe, true);
  await help.getByRole("link", { name: "Without “xylophonequartz”" }).click();
  await page.waitForFunction(() => document.querySelector("#q").value === "river");
  await waitForResults(page);
  await page.goBack();
  await help.getByRole("link", { name: "Search all sources" }).click();
  // Sources of other tests may hang.
  await page.locator(".src").nth(2).waitFor({ state: "attached" });
});

browse("another spelling is offered and searched for only when its link is followed", { who }, async (page) => {
  const empty = await createSource("/plain/none?count=0", { name: uniqueName("None") });
  await submitQuery(page, "flod warnig", { sources: [empty] });
  await waitForResults(page);
  assert.equal(await searchBox(page).inputValue(), "flod warnig", "the query stays");
  const link = page.locator(".did-you-mean").getByRole("link", { name: "flood warning" });
  await link.click();
  await page.waitForFunction(() => document.querySelector("#q").value === "flood warning");
  await waitForResults(page);
  assert.equal(await page.locator(".did-you-mean").count(), 0);
  await page.locator(".no-results").getByRole("heading", { name: "No results for “flood warning”" }).waitFor();
  await submitQuery(page, "Hochwasser Warnung", { sources: [empty] });
  await waitForResults(page);
  await page.locator(".language-hint").getByText("Your query seems to be in German.").waitFor();
});

browse("several authors and sources are combined, and chips remove them", { who }, async (page) => {
  const { info } = await getResults("&facets=true");
  const [first, second] = info.facets.authors;
  await page.goto(list());
  await waitForResults(page);
  await toggleFilter(page, authorBox(page, first.name));
  await toggleFilter(page, authorBox(page, second.name));
  const names = [first.name, second.name];
  assert.deepEqual(new URL(page.url()).searchParams.getAll("author"), names);
  for (const shown of await results(page).locator(".author").allInnerTexts()) assert.ok(names.some((name) => shown.includes(name)), shown);
  await authorBox(page, second.name).and(page.locator(":focus")).waitFor();
  for (const { name } of info.facets.sources.slice(0, 2)) await toggleFilter(page, sourceLine(page, name).getByRole("checkbox"));
  assert.equal(new URL(page.url()).searchParams.getAll("providers").length, 2);
  const chips = page.locator(".chips .chip");
  assert.equal(await chips.count(), 4);
  await followLink(page, chips.filter({ hasText: `Author: ${first.name}` }));
  assert.equal(await authorBox(page, first.name).isChecked(), false);
  assert.equal(await authorBox(page, second.name).isChecked(), true);
  await page.reload();
  await waitForResults(page);
  assert.equal(await chips.count(), 3);
  await followLink(page, page.getByRole("link", { name: "Clear filters" }));
  assert.match(await sum(page).innerText(), /^55 results/);
});

browse("a long list of sources is folded, and one is found by its name", { who }, async (page) => {
  const sources = [];
  for (let number = 1; number <= 13; number += 1) sources.push(await createSource(`/plain/s${number}?count=1`, { name: uniqueName(`Source ${number}`) }));
  const own = await runSearch("river", { as: me, sources });
  await page.goto(`/?search_id=${own.id}`);
  await waitForResults(page);
  const lines = page.locator(".src:visible");
  assert.equal(await lines.count(), 8);
  await page.getByText("5 more", { exact: true }).click();
  assert.equal(await lines.count(), 13);
  await page.getByRole("searchbox", { name: "Find a source" }).fill(sources[11].name.toUpperCase());
  await sourceLine(page, sources[0].name).waitFor({ state: "hidden" });
  assert.deepEqual(await lines.evaluateAll((all) => all.map((one) => one.dataset.name)), [sources[11].name]);
  await toggleFilter(page, sourceLine(page, sources[11].name).getByRole("checkbox"));
  assert.equal(await results(page).count(), 1);
});

browse("the bars of the histogram filter by year", { who }, async (page) => {
  await page.goto(list());
  await waitForResults(page);
  const bar = page.locator(".years a").last();
  const [, years, count] = /^([\d–]+): (\d+)$/.exec(await bar.getAttribute("aria-label"));
  await bar.focus();
  await waitForRepaint(page, () => page.keyboard.press("Enter"));
  assert.match(await sum(page).innerText(), new RegExp(`^${count} results?`));
  const [from, to = from] = years.split("–").map(Number);
  for (const day of await results(page).locator("time").evaluateAll((all) => all.map((one) => one.dateTime))) {
    assert.ok(Number(day.slice(0, 4)) >= from && Number(day.slice(0, 4)) <= to, `${day} is not in ${years}`);
  }
  await page.locator(".chips .chip", { hasText: years }).waitFor();
  await waitForRepaint(page, () => page.locator(".years [aria-current]").click());
  assert.match(await sum(page).innerText(), /^55 results/);
});

browse("five results fit on a screen, and the first is near the top", { who, width: 1280, height: 900 }, async (page) => {
  await page.goto(list());
  await waitForResults(page);
  const boxes = () => results(page).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
  const wide = await boxes();
  assert.ok(wide[0].top <= 200, `the first result is at ${wide[0].top}`);
  assert.ok(wide[4].bottom <= 900, `the fifth result ends at ${wide[4].bottom}`);
  await page.setViewportSize(PHONE);
  const [narrow] = await boxes();
  assert.ok(narrow.top <= 300, `on a phone, the first result is at ${narrow.top}`);
});

browse("a long author and texts from right to left fit", { who, ...PHONE }, async (page) => {
  const provider = await createSource("/bidi", { name: uniqueName("Bidi") });
  const own = await runSearch("river", { as: me, sources: [provider] });
  await page.goto(`/?search_id=${own.id}`);
  await waitForResults(page);
  await assertNarrow(page, "a list with a long author");
  const sides = await results(page).locator("h2").evaluateAll((all) => all.map((one) => getComputedStyle(one).direction));
  assert.deepEqual(new Set(sides), new Set(["rtl", "ltr"]));
});

browse("the page announces the selected results", { who }, async (page) => {
  await page.goto(list());
  await waitForResults(page);
  await page.evaluate(() => document.addEventListener("tributary:selection", (event) => (window.chosen = event.detail.ids)));
  await selectOnly(page, 1);
  const ids = await page.evaluate(() => window.chosen);
  assert.equal(ids.length, 1);
  assert.equal(String(ids[0]), await results(page).nth(1).getAttribute("data-id"));
});
