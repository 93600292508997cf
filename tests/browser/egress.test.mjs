// What one sent outside: a mailbox is connected, a scan of it is begun and followed, and what it found is confirmed or
// dismissed. The mailbox is a service on loopback, and the program one of its own that reads mail there.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe } from "./harness/axe.mjs";
import { startDemo } from "./harness/demo.mjs";
import { looksGood } from "./harness/everywhere.mjs";
import { authenticator, inside, message, startGraph } from "./harness/graph.mjs";
import { hostileTexts } from "./harness/hostile.mjs";
import { browse, app, open, person, signInAt } from "./harness/app.mjs";
import { assertInert } from "./harness/inert.mjs";
import { assertClean, quiet } from "./harness/watch.mjs";

const TEST_MS_MAX = 90_000;
/** Messages that a scan notes together; the first note comes after so many. */
const NOTED = 25;
const MESSAGES_MAX = 40;
const PASSWORD = "long enough for tests";

let graph;
let demo;
let people = 0;
before(async () => {
  graph = await startGraph();
  demo = await startDemo(app.program, { SVC_EGRESS_OUTLOOK_URL: `${graph.base}/v1.0`, SVC_EGRESS_MAX_MESSAGES: String(MESSAGES_MAX) });
  await ask("POST", "/svc/authenticators/", authenticator(graph));
});
after(async () => {
  await demo?.stop();
  graph?.stop();
});

/** Asks the API of that program. */
async function ask(method, path, body, as = { name: "admin", password: demo.password }) {
  const headers = { authorization: `Basic ${btoa(`${as.name}:${as.password}`)}`, "content-type": "application/json" };
  const answer = await fetch(demo.base + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text && JSON.parse(text);
}

/** A text that is long enough to be kept as it is, and unlike that of another subject. */
function told(subject) {
  const places = ["harbour", "orchard", "quarry", "station", "library", "meadow", "tunnel", "market", "chapel", "foundry", "vineyard", "lighthouse"];
  return places.map((place, index) => `In the ${place} the ${subject} was counted ${index + 3} times before noon, and whoever kept the ${subject} of the ${place} wrote the number down, signed it and sent it up the hill to the ${subject} office.`).join(" ");
}

const keep = (who, title, subject, given = {}) =>
  ask("POST", "/svc/ingest/", { url: addressOf(subject), title, body: told(subject), wait: true, ...given }, who);
const addressOf = (subject) => `https://files.example/${subject}.txt`;

/** A test in a page of somebody who has just come, signed in. */
function visit(name, body) {
  test(`egress: ${name}`, { timeout: TEST_MS_MAX }, async () => {
    const who = { name: `visitor-${++people}`, password: PASSWORD };
    await ask("POST", "/svc/users/", { username: who.name, password: who.password, email: `${who.name}@firm.example` });
    Object.assign(graph, { messages: [], trouble: 0 });
    const { context, page, seen } = await open({ who: null, init: axe(), allowed: [demo.base, graph.base] });
    try {
      await signInAt(context, demo.base, who);
      await body(page, who);
      await assertClean(context, seen);
    } finally {
      graph.go();
      await context.close();
    }
  });
}

/** Connects the mailbox as people do: the browser goes to the service and comes back. */
async function connect(page) {
  await page.goto(`${demo.base}/account/#connections`);
  await page.getByRole("button", { name: "Connect Microsoft" }).click();
  await page.getByRole("button", { name: "Disconnect Microsoft" }).waitFor();
}

const begin = (page) => page.getByRole("button", { name: "Scan", exact: true }).click();
const state = (page, status) => page.locator(`.scan-state[data-status=${status}]`);
const statuses = async (who) => (await ask("GET", "/svc/egress/events/", undefined, who)).results.map((one) => [one.signal_title, one.status]);

browse("a mailbox that cannot be connected is said", { who: () => person(), init: axe() }, async (page) => {
  await page.goto("/egress/");
  await page.getByText("No documents found so far.").waitFor();
  await begin(page);
  await page.getByRole("link", { name: "Connect your mailbox" }).waitFor();
  await looksGood(page, "no mailbox");
});

visit("a mailbox that is not connected is said, with the way to connect it", async (page) => {
  await page.goto(`${demo.base}/egress/`);
  await begin(page);
  await page.getByText("connect microsoft first").waitFor();
  await page.getByRole("link", { name: "Connect your mailbox" }).click();
  await page.getByRole("button", { name: "Connect Microsoft" }).waitFor();
  assert.equal(new URL(page.url()).hash, "#connections");
});

visit("a scan is followed to its end, and what it found is decided", async (page, who) => {
  await keep(who, "Sluice book", "sluice", { matter_tags: ["smith"] });
  await keep(who, "Beacon book", "beacon", { matter_tags: ["smith"] });
  await keep(who, "Ferry book", "ferry", { matter_tags: ["smith"] });
  await keep(who, "Other book", "barley");
  const nearly = (subject) => `${told(subject)} This copy is for you.`;
  const attached = (subject) => message({ files: [{ name: `${subject}.txt`, text: nearly(subject) }] });
  graph.messages = [
    attached("sluice"), message({ html: `<a href="${addressOf("ferry")}?utm_source=mail">here</a> and ${addressOf("barley")}` }),
    ...Array.from({ length: NOTED - 2 }, inside), { ...attached("beacon"), held: true }, ...Array.from({ length: MESSAGES_MAX }, inside),
  ];
  await connect(page);
  await page.goto(`${demo.base}/egress/`);
  await page.getByLabel("Mailbox").selectOption("outlook");
  await page.getByLabel("Only documents of this matter").fill("smith");
  await page.getByLabel("From").fill("2026-02-01");
  await page.getByLabel("To", { exact: true }).fill("2026-03-02");
  await begin(page);
  await state(page, "running").getByText(`${NOTED} messages read`).waitFor();
  await state(page, "running").getByText("1 document recognized").waitFor();
  graph.go();
  await state(page, "completed").getByText(`${MESSAGES_MAX} messages read`).waitFor();
  await state(page, "completed").getByText("3 sent outside").waitFor();
  await page.getByText("There are more messages than one scan can read.").waitFor();
  const [scan] = (await ask("GET", "/svc/egress/scan/", undefined, who)).results;
  assert.deepEqual([scan.matter_tag, scan.date_from, scan.date_to, scan.matches, scan.candidates], ["smith", "2026-02-01", "2026-03-02", 1, 2]);

  await page.getByRole("button", { name: "To review" }).click();
  await page.locator("[data-event]").nth(1).waitFor();
  assert.match(await page.locator("[data-event]").first().innerText(), /client\.co\.uk/);
  await looksGood(page, "documents to review");
  await page.getByRole("button", { name: "Confirm Sluice book" }).click();
  await page.getByRole("button", { name: "Confirm Sluice book" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Dismiss Beacon book" }).click();
  await page.getByText("Nothing to review.").waitFor();
  assert.deepEqual(await statuses(who), [["Sluice book", "confirmed"], ["Ferry book", "confirmed"], ["Beacon book", "dismissed"]]);
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.locator("[data-event]").nth(2).waitFor();
  assert.doesNotMatch(await page.locator("main").innerText(), /somebody|mail\.client/, "no address is shown");
});

visit("a scan is cancelled, and what it found stays", async (page, who) => {
  await keep(who, "Anchor book", "anchor");
  graph.messages = [message({ html: addressOf("anchor") }), ...Array.from({ length: NOTED - 1 }, inside), message({ held: true })];
  await connect(page);
  await page.goto(`${demo.base}/egress/`);
  await begin(page);
  await state(page, "running").getByText(`${NOTED} messages read`).waitFor();
  await page.getByRole("button", { name: "Cancel scan" }).click();
  await page.getByText("The scan was cancelled").first().waitFor();
  assert.equal(await page.getByRole("button", { name: "Cancel scan" }).count(), 0);
  assert.deepEqual(await statuses(who), [["Anchor book", "confirmed"]]);
});

visit("a scan is followed on when a look at it fails, and when the page gives up that is said", async (page) => {
  graph.messages = [message({ html: "nothing", held: true })];
  await connect(page);
  await page.goto(`${demo.base}/egress/`);
  const refusals = [429, 429, 404];
  await page.route("**/svc/egress/scan/*/", (route) => {
    const status = refusals.shift();
    return status ? route.fulfill({ status, json: { detail: `Refused by ${status}.` } }) : route.continue();
  });
  await begin(page);
  await page.getByRole("alert").getByText("The progress of the scan is not available: Refused by 404.").waitFor();
  assert.deepEqual(refusals, [], "it was tried again");
  await page.getByRole("button", { name: "Try again" }).click();
  graph.go();
  await state(page, "completed").waitFor();
  assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
});

visit("what documents are called stays text, and so does why a scan failed", async (page, who) => {
  const texts = hostileTexts(`${app.sources}/foreign`);
  const subjects = ["copper", "walnut", "saffron", "granite", "linen", "amber", "cobalt", "juniper", "marble"];
  for (const [index, text] of texts.entries()) await keep(who, text, subjects[index], { matter_tags: [texts[0]] });
  graph.messages = texts.map((_, index) => message({ html: addressOf(subjects[index]) }));
  await connect(page);
  await page.goto(`${demo.base}/egress/`);
  await page.getByLabel("Only documents of this matter").fill(texts[0]);
  await begin(page);
  await state(page, "completed").waitFor();
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.locator("[data-event]").nth(texts.length - 1).waitFor();
  graph.trouble = 418;
  await begin(page);
  await state(page, "failed").getByText("the mailbox answered with the status 418").waitFor();
  await quiet(page);
  await assertInert(page, "hostile titles");
});
