// Documents sent outside: a mailbox is connected and scanned, and the documents found are confirmed or dismissed. The
// mailbox is a fake on loopback, and these tests start their own program, which reads mail there.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe } from "./harness/axe.mjs";
import { startDemo } from "./harness/demo.mjs";
import { checkThemes } from "./harness/page_checks.mjs";
import { authenticator, internalMessage, message, startGraph } from "./harness/graph.mjs";
import { hostileTexts } from "./harness/hostile.mjs";
import { browse, app, openPage, createUser, signInAt } from "./harness/app.mjs";
import { assertInert } from "./harness/inert.mjs";
import { assertClean, waitUntilIdle } from "./harness/watch.mjs";

const TEST_MS_MAX = 90_000;
/** Number of messages after which a scan updates its progress. */
const BATCH = 25;
const MESSAGES_MAX = 40;
const PASSWORD = "long enough for tests";

let graph;
let demo;
let users = 0;
before(async () => {
  graph = await startGraph();
  demo = await startDemo(app.program, { SVC_EGRESS_OUTLOOK_URL: `${graph.base}/v1.0`, SVC_EGRESS_MAX_MESSAGES: String(MESSAGES_MAX) });
  await request("POST", "/svc/authenticators/", authenticator(graph));
});
after(async () => {
  await demo?.stop();
  graph?.stop();
});

/** Sends a request to the API of that program. */
async function request(method, path, body, as = { name: "admin", password: demo.password }) {
  const headers = { authorization: `Basic ${btoa(`${as.name}:${as.password}`)}`, "content-type": "application/json" };
  const answer = await fetch(demo.base + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text && JSON.parse(text);
}

/** A text that is long enough for the cache, and different for each subject. */
function documentText(subject) {
  const places = ["harbour", "orchard", "quarry", "station", "library", "meadow", "tunnel", "market", "chapel", "foundry", "vineyard", "lighthouse"];
  return places.map((place, index) => `In the ${place} the ${subject} was counted ${index + 3} times before noon, and whoever kept the ${subject} of the ${place} wrote the number down, signed it and sent it up the hill to the ${subject} office.`).join(" ");
}

const saveDocument = (who, title, subject, fields = {}) =>
  request("POST", "/svc/ingest/", { url: urlOf(subject), title, body: documentText(subject), wait: true, ...fields }, who);
const urlOf = (subject) => `https://files.example/${subject}.txt`;

/** A test in the page of a new user who is signed in. */
function testAsUser(name, body) {
  test(`egress: ${name}`, { timeout: TEST_MS_MAX }, async () => {
    const who = { name: `user-${++users}`, password: PASSWORD };
    await request("POST", "/svc/users/", { username: who.name, password: who.password, email: `${who.name}@firm.example` });
    Object.assign(graph, { messages: [], errorStatus: 0 });
    const { context, page, problems } = await openPage({ who: null, init: axe(), allowed: [demo.base, graph.base] });
    try {
      await signInAt(context, demo.base, who);
      await body(page, who);
      await assertClean(context, problems);
    } finally {
      graph.release();
      await context.close();
    }
  });
}

/** Connects the mailbox in the browser, which goes to the fake and comes back. */
async function connect(page) {
  await page.goto(`${demo.base}/account/#connections`);
  await page.getByRole("button", { name: "Connect Microsoft" }).click();
  await page.getByRole("button", { name: "Disconnect Microsoft" }).waitFor();
}

const startScan = (page) => page.getByRole("button", { name: "Scan", exact: true }).click();
const state = (page, status) => page.locator(`.scan-state[data-status=${status}]`);
const statuses = async (who) => (await request("GET", "/svc/egress/events/", undefined, who)).results.map((one) => [one.signal_title, one.status]);

browse("a mailbox that cannot be connected is reported", { who: () => createUser(), init: axe() }, async (page) => {
  await page.goto("/egress/");
  await page.getByText("No documents found so far.").waitFor();
  await startScan(page);
  await page.getByText("an administrator must add the authenticator").waitFor();
  await checkThemes(page, "no mailbox");
});

testAsUser("a mailbox that is not connected is reported, with a link to connect it", async (page) => {
  await page.goto(`${demo.base}/egress/`);
  await startScan(page);
  await page.getByText("connect microsoft first").waitFor();
  await page.getByRole("link", { name: "Connect your mailbox" }).click();
  await page.getByRole("button", { name: "Connect Microsoft" }).waitFor();
  assert.equal(new URL(page.url()).hash, "#connections");
});

testAsUser("a scan is followed to its end, and its documents are reviewed", async (page, who) => {
  await saveDocument(who, "Sluice book", "sluice", { matter_tags: ["smith"] });
  await saveDocument(who, "Beacon book", "beacon", { matter_tags: ["smith"] });
  await saveDocument(who, "Ferry book", "ferry", { matter_tags: ["smith"] });
  await saveDocument(who, "Other book", "barley");
  const nearly = (subject) => `${documentText(subject)} This copy is for you.`;
  const attached = (subject) => message({ files: [{ name: `${subject}.txt`, text: nearly(subject) }] });
  graph.messages = [
    attached("sluice"), message({ html: `<a href="${urlOf("ferry")}?utm_source=mail">here</a> and ${urlOf("barley")}` }),
    ...Array.from({ length: BATCH - 2 }, internalMessage), { ...attached("beacon"), isHeld: true }, ...Array.from({ length: MESSAGES_MAX }, internalMessage),
  ];
  await connect(page);
  await page.goto(`${demo.base}/egress/`);
  await page.getByLabel("Mailbox").selectOption("outlook");
  await page.getByLabel("Only documents of this matter").fill("smith");
  await page.getByLabel("From").fill("2026-02-01");
  await page.getByLabel("To", { exact: true }).fill("2026-03-02");
  await startScan(page);
  await state(page, "running").getByText(`${BATCH} messages read`).waitFor();
  await state(page, "running").getByText("1 document recognized").waitFor();
  graph.release();
  await state(page, "completed").getByText(`${MESSAGES_MAX} messages read`).waitFor();
  await state(page, "completed").getByText("3 sent outside").waitFor();
  await page.getByText("There are more messages than one scan can read.").waitFor();
  const [scan] = (await request("GET", "/svc/egress/scan/", undefined, who)).results;
  assert.deepEqual([scan.matter_tag, scan.date_from, scan.date_to, scan.matches, scan.candidates], ["smith", "2026-02-01", "2026-03-02", 1, 2]);

  await page.getByRole("button", { name: "To review" }).click();
  await page.locator("[data-event]").nth(1).waitFor();
  assert.match(await page.locator("[data-event]").first().innerText(), /client\.co\.uk/);
  await checkThemes(page, "documents to review");
  await page.getByRole("button", { name: "Confirm Sluice book" }).click();
  await page.getByRole("button", { name: "Confirm Sluice book" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Dismiss Beacon book" }).click();
  await page.getByText("Nothing to review.").waitFor();
  assert.deepEqual(await statuses(who), [["Sluice book", "confirmed"], ["Ferry book", "confirmed"], ["Beacon book", "dismissed"]]);
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.locator("[data-event]").nth(2).waitFor();
  assert.doesNotMatch(await page.locator("main").innerText(), /somebody|mail\.client/, "no address is shown");
});

testAsUser("a scan is canceled, and the documents found so far stay", async (page, who) => {
  await saveDocument(who, "Anchor book", "anchor");
  graph.messages = [message({ html: urlOf("anchor") }), ...Array.from({ length: BATCH - 1 }, internalMessage), message({ isHeld: true })];
  await connect(page);
  await page.goto(`${demo.base}/egress/`);
  await startScan(page);
  await state(page, "running").getByText(`${BATCH} messages read`).waitFor();
  await page.getByRole("button", { name: "Cancel scan" }).click();
  await page.getByText("The scan was canceled").first().waitFor();
  assert.equal(await page.getByRole("button", { name: "Cancel scan" }).count(), 0);
  assert.deepEqual(await statuses(who), [["Anchor book", "confirmed"]]);
});

testAsUser("polling a scan is retried, and a final failure is reported", async (page) => {
  graph.messages = [message({ html: "nothing", isHeld: true })];
  await connect(page);
  await page.goto(`${demo.base}/egress/`);
  const refusals = [429, 429, 404];
  await page.route("**/svc/egress/scan/*/", (route) => {
    const status = refusals.shift();
    return status ? route.fulfill({ status, json: { detail: `Refused by ${status}.` } }) : route.continue();
  });
  await startScan(page);
  await page.getByRole("alert").getByText("The progress of the scan is not available: Refused by 404.").waitFor();
  assert.deepEqual(refusals, [], "it was tried again");
  await page.getByRole("button", { name: "Try again" }).click();
  graph.release();
  await state(page, "completed").waitFor();
  assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
});

testAsUser("titles of documents and the error of a scan are shown as text", async (page, who) => {
  const texts = hostileTexts(`${app.sources}/foreign`);
  const subjects = ["copper", "walnut", "saffron", "granite", "linen", "amber", "cobalt", "juniper", "marble"];
  for (const [index, text] of texts.entries()) await saveDocument(who, text, subjects[index], { matter_tags: [texts[0]] });
  graph.messages = texts.map((_, index) => message({ html: urlOf(subjects[index]) }));
  await connect(page);
  await page.goto(`${demo.base}/egress/`);
  await page.getByLabel("Only documents of this matter").fill(texts[0]);
  await startScan(page);
  await state(page, "completed").waitFor();
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.locator("[data-event]").nth(texts.length - 1).waitFor();
  graph.errorStatus = 418;
  await startScan(page);
  await state(page, "failed").getByText("the mailbox answered with the status 418").waitFor();
  await waitUntilIdle(page);
  await assertInert(page, "hostile titles");
});
