// Versions of a document: one result for all of them, their election, and the decisions of curators.

import assert from "node:assert/strict";
import { before } from "node:test";
import { assertAccessible, axe } from "./harness/axe.mjs";
import { checkThemes } from "./harness/page_checks.mjs";
import { api, browse, app, createUser } from "./harness/app.mjs";
import { assertInert } from "./harness/inert.mjs";
import { waitUntilIdle } from "./harness/watch.mjs";
import { startSelecting, waitForResults, results } from "./harness/pages/search.mjs";
import { runSearch, uniqueName } from "./harness/records.mjs";

const WORDS = "keeper writes height of the water each morning, sluice, mill, upper pond";
const VERSIONS = ["v1-draft", "v2-final", "v3-wip"];

let cache;
before(async () => {
  cache = (await api("GET", "/svc/searchproviders/")).find((one) => one.connector === "TributaryCorpusConnector");
});

let me;
const newCurator = async () => (me = await createUser({ rights: { groups: ["curators"] } }));
const newUser = async () => (me = await createUser());

/** Saves versions of a document that only this user sees. Returns the query that finds them. */
async function saveVersions(names = VERSIONS, as = me) {
  const name = uniqueName("weir");
  for (const one of names) await api("POST", "/svc/ingest/", { url: `${app.sources}/page/${name}/${one}`, wait: true }, { as });
  return `${WORDS} ${name}`;
}

/** Runs a new search and opens its list. */
async function openList(page, query, fields = {}) {
  const search = await runSearch(query, { as: me, sources: [cache], ...fields });
  await page.goto(`/?search_id=${search.id}`);
  await waitForResults(page);
}

/** The results among the saved versions: the cache also finds what is only a little like the query. */
const own = (page) => results(page).filter({ hasText: "of weir-" });

/** The id of the election among the saved versions. */
async function ownRun(query) {
  const { results: runs } = await api("GET", `/svc/canonical/?query=${encodeURIComponent(query)}`, undefined, { as: me });
  const found = await Promise.all(runs.map((run) => api("GET", `/svc/canonical/${run.run_id}/`, undefined, { as: me })));
  return found.find((run) => run.members.some((member) => member.title.includes("of weir-"))).run_id;
}

const badge = (page) => own(page).first().locator(".from .badge").first().innerText();
const others = (page) => own(page).first().locator(".version");
const runOf = async (page) => (await own(page).first().getByRole("link", { name: /^Why this version/ }).getAttribute("href")).match(/\d+/)[0];

/** Clicks a button, and waits until the pin is stored. */
async function clickPin(page, button) {
  const response = page.waitForResponse((answer) => answer.url().includes("/pin-for-query/") && answer.status() === 201);
  await button.click();
  await response;
}

/** Waits until the list is drawn again after a filter was typed, because a click before that would be lost. */
async function waitForFilter(page) {
  await page.waitForURL(/query=/);
  await waitUntilIdle(page);
}

browse("versions are below the selected one, and a curator pins another", { who: newCurator, init: axe() }, async (page) => {
  const query = await saveVersions();
  await openList(page, query);
  assert.equal(await own(page).count(), 1, "one result for three versions");
  assert.equal(await badge(page), "Auto-selected");
  assert.match(await own(page).first().locator("h2").innerText(), /v2-final/, "the final version is selected");
  assert.match(await own(page).first().locator(".cached").innerText(), /v2 final, (one|version \d) of 3/);
  await own(page).locator(".versions > summary").click();
  assert.equal(await others(page).count(), 2);
  await checkThemes(page, "a list with versions");
  await page.setViewportSize({ width: 1280, height: 860 });

  await others(page).filter({ hasText: "v3-wip" }).getByRole("button", { name: /^Pin/ }).click();
  await page.locator(".from .badge", { hasText: "Pinned" }).waitFor();
  assert.match(await own(page).first().locator("h2").innerText(), /v3-wip/);
  await openList(page, query);
  assert.deepEqual([await badge(page), await own(page).count()], ["Pinned", 1], "also in the next search");

  await own(page).first().getByRole("button", { name: "Unpin" }).click();
  await page.locator(".from .badge", { hasText: "Pinned" }).waitFor({ state: "detached" });
  await openList(page, query);
  assert.equal(await badge(page), "Auto-selected", "a new election is held");
});

browse("an alternate version can be selected for an answer", { who: newCurator }, async (page) => {
  await openList(page, await saveVersions());
  await startSelecting(page);
  await page.locator("#select-none").click();
  await own(page).locator(".versions > summary").click();
  const box = others(page).first().getByRole("checkbox");
  await box.check();
  assert.equal(await page.locator("#selection-count").innerText(), "1 selected");
  assert.equal(await own(page).first().locator("> .choose input").isChecked(), false);
});

browse("the factors of an election add up, and its winner is approved", { who: newCurator, init: axe() }, async (page) => {
  const query = await saveVersions();
  await openList(page, query);
  const run = await runOf(page);
  await page.goto(`/review/${run}/`);
  await page.locator(".sides").waitFor();
  await page.locator(".text-diff .plus").waitFor();
  assert.equal(await page.locator(".sides thead th").count(), 3);
  const columns = await page.locator(".sides").evaluate((table) => {
    const numbers = (row) => [...row.querySelectorAll("td")].map((cell) => Number(cell.querySelector("b").textContent.replace("−", "-")));
    const rows = [...table.querySelectorAll("tbody tr")];
    const scores = numbers(rows[0]);
    const parts = rows.slice(1, 8).map(numbers);
    return scores.map((score, place) => ({ score, sum: parts.reduce((sum, row) => sum + row[place], 0) }));
  });
  for (const { score, sum } of columns) assert.ok(Math.abs(score - sum) < 0.04, `${score} is not ${sum}`);
  assert.ok(columns[0].score > columns[1].score, "the first version won");
  assert.ok((await page.locator(".text-diff ins").count()) > 0 && (await page.locator(".text-diff del").count()) > 0);
  await checkThemes(page, "an election");
  await page.setViewportSize({ width: 1280, height: 860 });

  await page.getByLabel("Comment").fill("as filed");
  await page.getByRole("button", { name: "Approve" }).click();
  await page.locator("#state", { hasText: "approved" }).waitFor();
  await page.getByText("as filed").waitFor();
  assert.equal(await page.getByRole("button", { name: "Approve" }).count(), 0);
  await openList(page, query);
  assert.equal(await badge(page), "Pinned");
});

browse("the reasons for a version are in the language of the page", { who: newCurator, language: "de-DE" }, async (page) => {
  const query = await saveVersions(["v1-draft", "v2-final"]);
  await runSearch(query, { as: me, sources: [cache] });
  const run = await ownRun(query);
  const { members } = await api("GET", `/svc/canonical/${run}/`, undefined, { as: me });
  await page.goto(`/review/${run}/`);
  await page.locator(".reasons").first().waitFor();
  const reasons = await page.locator(".reasons li").allInnerTexts();
  assert.equal(reasons.length, members.flatMap((member) => member.reasons).length, "each reason is shown");
  const sentences = new Set(members.flatMap((member) => member.reasons));
  assert.deepEqual(reasons.filter((sentence) => sentences.has(sentence)), [], "and none is a text of the API");
  assert.ok(reasons.includes("Ihr Name enthält „final“, Version 2."), reasons.join("\n"));
});

browse("a rejected version is replaced by another", { who: newCurator, init: axe() }, async (page) => {
  const query = await saveVersions(["v1", "v2-final"]);
  await openList(page, query);
  assert.match(await own(page).first().locator("h2").innerText(), /v2-final/);
  const run = await runOf(page);
  await own(page).first().getByRole("button", { name: "Reject" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").selectOption("outdated");
  await assertAccessible(page, "the dialog for the reason");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await own(page).first().getByRole("button", { name: "Reject" }).click();
  await dialog.getByLabel("Reason").selectOption("outdated");
  await dialog.getByLabel("Comment").fill("a newer one is signed");
  await dialog.getByRole("button", { name: "Reject" }).click();
  await page.getByText("Rejected. The next search holds a new election.").waitFor();
  await openList(page, query);
  assert.match(await own(page).first().locator("h2").innerText(), /Number v1 /);
  await page.goto(`/review/${run}/`);
  await page.locator("#state", { hasText: "rejected" }).waitFor();
  await page.getByText("a newer one is signed").waitFor();
});

browse("the pin of another document is replaced only after a confirmation", { who: newCurator }, async (page) => {
  const query = await saveVersions();
  await openList(page, query);
  const run = await runOf(page);
  await page.goto(`/review/${run}/`);
  await clickPin(page, page.getByRole("button", { name: /^Pin .*v1-draft/ }));
  await page.reload();
  await page.getByRole("button", { name: /^Pin .*v3-wip/ }).click();
  await page.getByRole("dialog").getByText("Replace the pin?").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  const pinnedTitles = async () => (await api("GET", `/svc/canonical/pins/?query=${encodeURIComponent(query)}`, undefined, { as: me })).results.map((one) => one.title);
  assert.match((await pinnedTitles()).join(), /v1-draft/);
  await page.getByRole("button", { name: /^Pin .*v3-wip/ }).click();
  await clickPin(page, page.getByRole("dialog").getByRole("button", { name: "Replace" }));
  const now = await pinnedTitles();
  assert.equal(now.length, 1);
  assert.match(now[0], /v3-wip/);
});

browse("an election is found in the queue and approved, and its pin is removed", { who: newCurator, init: axe() }, async (page) => {
  const query = await saveVersions();
  await runSearch(query, { as: me, sources: [cache] });
  const name = query.split(" ").pop();
  await page.goto("/review/");
  await page.getByLabel("Filter by query").fill(name);
  const run = await ownRun(query);
  const rows = page.locator(".run-row");
  await waitForFilter(page);
  await page.waitForFunction((wanted) => [...document.querySelectorAll(".run-row .query")].every((one) => one.textContent.endsWith(wanted)), name);
  await checkThemes(page, "the queue");
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.locator(`.run-row[data-run="${run}"] a.query`).click();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.locator("#state", { hasText: "approved" }).waitFor();
  await page.goto(`/review/?query=${name}`);
  await waitUntilIdle(page);
  assert.equal(await page.locator(`.run-row[data-run="${run}"]`).count(), 0, "it is not open any more");
  await page.getByRole("link", { name: "Pinned" }).click();
  await page.getByLabel("Exact query").fill(query);
  await waitForFilter(page);
  await page.waitForFunction((wanted) => [...document.querySelectorAll(".run-row .query")].map((one) => one.textContent).join() === wanted, query);
  await rows.getByText("by approving an election").waitFor();
  await assertAccessible(page, "the list of pins");
  await rows.getByRole("button", { name: /^Unpin/ }).click();
  await page.getByText("Nothing is pinned for this query.").waitFor();
});

browse("users who are not curators see the elections of their own searches, without controls", { who: newUser, init: axe() }, async (page) => {
  const query = await saveVersions();
  await openList(page, query);
  for (const name of ["Pin", "Unpin", "Reject"]) assert.equal(await page.getByRole("button", { name }).count(), 0, name);
  const run = await runOf(page);
  await page.goto("/review/");
  await page.locator(".run-row").first().waitFor();
  assert.equal(await page.getByRole("link", { name: "Pinned" }).count(), 0);
  await page.goto(`/review/${run}/`);
  await page.locator(".sides").waitFor();
  await waitUntilIdle(page);
  assert.equal(await page.getByRole("button", { name: /Approve|Reject|^Pin/ }).count(), 0);
  await assertAccessible(page, "an election without controls");
  const other = await createUser({ rights: { groups: ["curators"] } });
  await api("GET", `/svc/canonical/${run}/`, undefined, { as: other, expect: 404 });
});

browse("an election that does not exist", { who: newUser, init: axe() }, async (page) => {
  await page.goto("/review/999999999/");
  await page.getByRole("alert").getByText("Election not found, or you do not have access.").waitFor();
  await assertAccessible(page, "no such election");
});

// The versions of a document have the same title, so each text gets a document of its own.
for (const text of [0, 1, 6]) browse(`hostile versions are shown as text (${text})`, { who: newCurator }, async (page) => {
  const query = await saveVersions([1, 2, 3].map((version) => `v${version}-hostile-${text}`));
  await openList(page, query);
  await own(page).locator(".versions > summary").first().click();
  assert.deepEqual([await own(page).count(), await others(page).count()], [1, 2]);
  await assertInert(page, "hostile versions in a list");
  const run = await runOf(page);
  await page.goto("/review/");
  await page.locator(".run-row").first().waitFor();
  await assertInert(page, "hostile versions in the queue");
  await page.goto(`/review/${run}/`);
  await page.locator(".text-diff .plus").waitFor();
  await assertInert(page, "hostile versions in an election");
});

browse("the console shows the number of open elections", {}, async (page) => {
  const response = page.waitForResponse((response) => response.url().includes("/canonical/?status=open"));
  await page.goto("/admin/cache/");
  const { count } = await (await response).json();
  const link = page.locator("nav.tabs a[href='/review/']");
  await page.waitForFunction((text) => document.querySelector("[data-open-runs]").textContent.replace(/\D/g, "") === text, count ? String(count) : "");
  assert.match(await link.innerText(), /Review queue/);
});
