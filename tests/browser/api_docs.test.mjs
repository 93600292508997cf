// The API documentation: navigation, deep links, schemas, requests that are sent from the page.

import assert from "node:assert/strict";
import { api, app, browse, createUser, reportMeasurement } from "./harness/app.mjs";
import { assertAccessible, axe } from "./harness/axe.mjs";
import { PHONE, assertNarrow } from "./harness/narrow.mjs";
import { checkPage, checkThemes } from "./harness/page_checks.mjs";
import { waitUntilIdle } from "./harness/pages/console.mjs";
import { runSearch } from "./harness/records.mjs";

const DOCS = "/svc/api/docs/";
/** Bytes of the page, its styles and its scripts, without compression. */
const BYTES_MAX = 150_000;

let me;
const newUser = async () => (me = await createUser());
const heading = (page, name) => page.getByRole("heading", { level: 1, name });
const answer = (page) => page.locator(".answer");
const curl = (page) => page.getByRole("group", { name: "curl command" });

async function open(page, id) {
  await page.goto(`${DOCS}#${id}`);
  await page.locator("#operation-title").waitFor();
}

/** Opens the form if it is closed. */
async function openForm(page) {
  const form = page.locator("details.try");
  if (!(await form.evaluate((element) => element.open))) await form.locator("> summary").click();
}

/** Sends the request and returns the head of the response. */
async function send(page, status) {
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await answer(page).locator(".status", { hasText: String(status) }).waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
}

checkPage(DOCS);
checkPage(`${DOCS}#create_search`);
checkPage(`/api${DOCS}#read_results`);

browse("the page is small", {}, async (page) => {
  const sizes = [];
  page.on("response", (response) => {
    if (!response.url().includes("/api/schema/")) sizes.push(response.body().then((body) => body.length));
  });
  await open(page, "create_search");
  await waitUntilIdle(page);
  const total = (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0);
  reportMeasurement(`API documentation without its document, uncompressed: ${(total / 1000).toFixed(1)} kB`);
  assert.ok(total < BYTES_MAX, String(total));
});

browse("every operation is listed, and opens without errors", { init: axe() }, async (page) => {
  await page.goto(DOCS);
  await heading(page, /Tributary API/).waitFor();
  const document = await api("GET", "/svc/api/schema/");
  const ids = Object.values(document.paths).flatMap((item) => Object.values(item).map((operation) => operation.operationId));
  assert.equal(await page.locator(".operation-rows a").count(), ids.length);
  assert.equal(await page.locator(".operation-list a").count(), ids.length);
  for (const id of ids) {
    await page.evaluate((hash) => (location.hash = hash), id);
    await page.locator(`.operation-list a[aria-current][href="#${id}"]`).waitFor();
    await page.locator("#operation-title").waitFor();
    await page.evaluate(() => document.querySelectorAll(".response-row, .schema-fold").forEach((element) => element.setAttribute("open", "")));
  }
  await open(page, "create_searchproviders");
  await page.evaluate(() => document.querySelectorAll("article details").forEach((element) => element.setAttribute("open", "")));
  await page.locator(".response-body").first().waitFor();
  await assertAccessible(page, "an operation with everything unfolded");
});

browse("operations are filtered and opened with the keyboard", {}, async (page) => {
  await page.goto(DOCS);
  await heading(page, /Tributary API/).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("post searchprov");
  const links = page.locator(".operation-list a:visible");
  await page.locator(".operation-list a[href='#read_results']").waitFor({ state: "detached" });
  assert.ok((await links.count()) > 0);
  for (const text of await links.allInnerTexts()) assert.match(text, /POST\s+\/searchprov/);
  await page.keyboard.press("Enter");
  await page.locator("#operation-title").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "H1");
  assert.match(await page.title(), /^POST \/svc\/searchproviders\//);
  await page.goBack();
  await heading(page, /Tributary API/).waitFor();
  await page.getByRole("searchbox").fill("no such operation");
  await page.getByText("No matching operations.").waitFor();
});

browse("the link to the content does not leave the operation", {}, async (page) => {
  await open(page, "read_results");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash === "#main");
  assert.equal(await page.locator("#operation-title").count(), 1);
});

browse("parameters, limits, bodies and responses are shown", {}, async (page) => {
  await open(page, "create_search");
  const body = page.getByRole("region", { name: "Request body" });
  await body.getByText("1 to 2,048 characters").waitFor();
  await body.getByText("default: RelevancyConfidenceMixer").waitFor();
  const response = page.locator("details.response-row", { hasText: "400" });
  await response.locator("summary").click();
  await response.getByText("A message for people.").waitFor();
  await open(page, "read_results");
  const row = page.getByRole("row", { name: /^items/ });
  assert.match(await row.innerText(), /integer[^]*1 to 100/);
  await open(page, "live");
  await page.getByText("No authentication.").waitFor();
  assert.doesNotMatch(await curl(page).innerText(), /Authorization/);
});

browse("a request is sent, and its curl command copied", { who: newUser }, async (page, { context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const search = await runSearch("flood warning", { as: me });
  await open(page, "read_results");
  await page.locator("#value-query-search_id").fill(String(search.id));
  await send(page, 200);
  const shown = JSON.parse(await page.getByRole("group", { name: "Response", exact: true }).innerText());
  assert.ok(shown.results.length > 0);
  await answer(page).getByText("Headers").click();
  await answer(page).getByText("x-request-id").waitFor();
  await page.getByRole("button", { name: "Copy: curl command" }).click();
  await page.getByText("Copied.").waitFor();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(command, [`curl '${app.base}/svc/results/?search_id=${search.id}'`, "-H 'Authorization: Token …'", "-H 'Accept: application/json'"].join(" \\\n  "));
});

browse("a request that changes something takes clicks of its own", { who: newUser }, async (page) => {
  await open(page, "create_search");
  assert.equal(await page.locator(".try-form").isVisible(), false);
  await openForm(page);
  await page.getByLabel("Request body").last().fill("{");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("This is not valid JSON").waitFor();
  await page.getByLabel("Request body").last().fill('{"query_string": "estuary"}');
  await send(page, 201);
  const [search] = await api("GET", "/svc/search/", undefined, { as: me });
  assert.equal(search.query_string, "estuary");

  await open(page, "delete_search");
  await openForm(page);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("Required.").waitFor();
  await page.locator("#value-path-id").fill(String(search.id));
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  assert.equal((await api("GET", "/svc/search/", undefined, { as: me })).length, 1);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Send" }).click();
  await answer(page).getByText("The response has no body.").waitFor();
  assert.deepEqual(await api("GET", "/svc/search/", undefined, { as: me }), []);
});

browse("errors and long responses are shown, a stream is stopped", { who: newUser }, async (page, { problems }) => {
  await open(page, "read_search");
  await page.locator("#value-path-id").fill("999999");
  await send(page, 404);
  assert.match(await answer(page).innerText(), /not_found/);
  await open(page, "schema");
  await send(page, 200);
  await answer(page).getByText("Only the first 293 kB are shown.").waitFor();
  await open(page, "login");
  await openForm(page);
  await send(page, 401);
  await page.route("**/svc/users/me/", (route) => route.abort());
  await open(page, "read_me");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await answer(page).getByText("The service did not respond.").waitFor();
  await page.unroute("**/svc/users/me/");
  await page.route("**/svc/users/me/", () => null);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("button", { name: "Stop" }).click();
  await answer(page).getByText("Stopped.").waitFor();
  // The browser logs the aborted request itself.
  problems.errors.splice(0);
});

browse("if the session ends, the user signs in again, and the request is repeated", { who: newUser }, async (page, { context, problems }) => {
  await open(page, "read_search");
  await page.locator("#value-path-id").fill("7");
  const cookies = await context.cookies();
  await context.addCookies(cookies.map((one) => (one.name.endsWith("tributary_session") ? { ...one, value: "over" } : one)));
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Your session ended" });
  await dialog.getByLabel("Password").fill(me.password);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await answer(page).locator(".status", { hasText: "404" }).waitFor();
  assert.equal(await page.locator("#value-path-id").inputValue(), "7");
  // The browser logs the refused requests itself.
  problems.errors.splice(0);
});

browse("a document that cannot be loaded is reported, and loaded again", {}, async (page, { problems }) => {
  await page.route("**/api/schema/", (route) => route.abort());
  await page.goto(DOCS);
  await page.getByRole("alert").getByText("The service did not respond.").waitFor();
  await page.unroute("**/api/schema/");
  await page.getByRole("button", { name: "Try again" }).click();
  await heading(page, /Tributary API/).waitFor();
  problems.errors.splice(0);
});

browse("on a phone the operations are folded", { ...PHONE, init: axe() }, async (page) => {
  await page.goto(DOCS);
  await heading(page, /Tributary API/).waitFor();
  const button = page.getByRole("button", { name: "Operations" });
  assert.equal(await page.getByRole("navigation", { name: "Operations" }).isVisible(), false);
  await button.click();
  await page.getByRole("searchbox").fill("examine");
  await checkThemes(page, "the list of operations");
  await page.locator(".operation-list a").first().click();
  await page.locator("#operation-title").waitFor();
  assert.equal(await button.getAttribute("aria-expanded"), "false");
  await page.evaluate(() => document.querySelectorAll("details:not(.menu)").forEach((element) => element.setAttribute("open", "")));
  await waitUntilIdle(page);
  await assertNarrow(page, "an operation with everything unfolded");
});

browse("the page is translated", { language: "de-DE", ...PHONE }, async (page) => {
  await open(page, "create_searchproviders");
  await page.getByRole("heading", { name: "Inhalt der Anfrage" }).waitFor();
  await assertNarrow(page, "an operation in German");
});

browse("without JavaScript the page links to the document", { script: false }, async (page) => {
  await page.goto(DOCS);
  const link = page.getByRole("main").getByRole("link", { name: "OpenAPI document" });
  assert.equal(await link.getAttribute("href"), "/svc/api/schema/");
});
