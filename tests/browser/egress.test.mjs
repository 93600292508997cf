// What one sent outside: a scan is begun and followed, and what it found is confirmed or dismissed. The mailbox is played
// by answers in place of the API's; that there is none is said by the API itself.

import assert from "node:assert/strict";
import { axe } from "./house/axe.mjs";
import { looksGood } from "./house/everywhere.mjs";
import { hostileTexts } from "./house/hostile.mjs";
import { browse, house, person } from "./house/house.mjs";
import { assertInert } from "./house/inert.mjs";
import { quiet } from "./house/watch.mjs";

const who = () => person();

const scan = (given) => ({
  scan_id: 7, user: "me", channel: "outlook", status: "running", matter_tag: "", date_from: null, date_to: null, messages_seen: 0, messages_external: 0,
  matches: 0, candidates: 0, created_at: "2026-01-02T10:00:00Z", started_at: "2026-01-02T10:00:01Z", finished_at: null, error: "", truncated: false, ...given,
});
const event = (id, given) => ({
  event_id: id, scan_id: 7, signal_id: id, signal_title: `Report ${id}`, external_domains: ["client.example"], channel: "outlook",
  sent_at: "2026-01-01T09:00:00Z", match_method: "filename_size", confidence: 0.8, status: "candidate", decided_at: null, ...given,
});

/** Answers in place of the API. `state.scans` are told one after the other; `state.events` can be decided. */
async function play(page, state) {
  const json = (route, body, status = 200) => route.fulfill({ status, contentType: "application/json", body: body === undefined ? "" : JSON.stringify(body) });
  const paged = (results) => ({ count: results.length, next: null, previous: null, results });
  await page.route("**/svc/egress/scan/**", (route) => {
    const request = route.request();
    const isOne = /scan\/\d+\/$/.test(request.url());
    if (request.method() === "DELETE") {
      state.scans = [scan({ status: "cancelled", finished_at: "2026-01-02T10:01:00Z" })];
      return json(route, undefined, 204);
    }
    if (request.method() === "POST") {
      state.asked = request.postDataJSON();
      state.begun = true;
      return json(route, state.scans[0], 202);
    }
    if (isOne) return json(route, state.scans.length > 1 ? state.scans.shift() : state.scans[0]);
    return json(route, paged(state.begun ? [state.scans[0]] : []));
  });
  await page.route("**/svc/egress/events/**", (route) => {
    const request = route.request();
    const url = new URL(request.url());
    if (request.method() === "PATCH") {
      const found = state.events.find((one) => url.pathname.endsWith(`/${one.event_id}/`));
      Object.assign(found, request.postDataJSON());
      return json(route, found);
    }
    const status = url.searchParams.get("status");
    return json(route, paged(state.events.filter((one) => !status || one.status === status)));
  });
}

browse("a mailbox that is not connected is said, with the way to connect it", { who, init: axe() }, async (page) => {
  await page.goto("/egress/");
  await page.getByText("No document is known to have gone outside.").waitFor();
  await page.getByRole("button", { name: "Scan", exact: true }).click();
  const way = page.getByRole("link", { name: "Connect your mailbox" });
  await way.waitFor();
  assert.equal(await way.getAttribute("href"), "/account/#connections");
  await looksGood(page, "no mailbox");
});

browse("a scan is followed to its end, and what it found is decided", { who, init: axe() }, async (page) => {
  const state = {
    scans: [scan({ status: "queued" }), scan({ messages_seen: 400, messages_external: 12 }), scan({ status: "completed", messages_seen: 1000, messages_external: 31, matches: 1, candidates: 2, truncated: true, finished_at: "2026-01-02T10:02:00Z" })],
    events: [],
  };
  await play(page, state);
  await page.goto("/egress/");
  await page.getByLabel("Mailbox").selectOption("outlook");
  await page.getByLabel("Only documents of the matter").fill("smith");
  await page.getByLabel("From").fill("2026-01-01");
  await page.getByRole("button", { name: "Scan", exact: true }).click();
  await page.getByText("400 messages read").waitFor();
  state.events = [event(1), event(2), event(3, { status: "confirmed", match_method: "link_exact", confidence: 1 })];
  await page.locator(".scan-state[data-status=completed]").waitFor();
  assert.deepEqual(state.asked, { channel: "outlook", matter_tag: "smith", date_from: "2026-01-01" });
  await page.getByText("There were more messages than one scan reads.").waitFor();

  await page.getByRole("button", { name: "To decide" }).click();
  await page.locator("[data-event]").nth(1).waitFor();
  await looksGood(page, "documents to decide");
  await page.getByRole("button", { name: "Confirm Report 1" }).click();
  await page.locator("[data-event='1']").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Dismiss Report 2" }).click();
  await page.getByText("Nothing waits for a decision.").waitFor();
  assert.deepEqual(state.events.map((one) => one.status), ["confirmed", "dismissed", "confirmed"]);
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.locator("[data-event]").nth(2).waitFor();
});

browse("a scan is cancelled", { who }, async (page) => {
  const state = { scans: [scan({ messages_seen: 3 })], events: [] };
  await play(page, state);
  await page.goto("/egress/");
  await page.getByRole("button", { name: "Scan", exact: true }).click();
  await page.getByRole("button", { name: "Cancel the scan" }).click();
  await page.getByText("The scan was cancelled").first().waitFor();
  assert.equal(await page.getByRole("button", { name: "Cancel the scan" }).count(), 0);
});

browse("what documents are called stays text", { who }, async (page) => {
  const texts = hostileTexts(`${house.sources}/foreign`);
  const state = { begun: true, scans: [scan({ status: "failed", error: texts[1], matter_tag: texts[0] })], events: texts.map((text, id) => event(id + 1, { signal_title: text, external_domains: [text], match_method: id % 2 ? "link_exact" : text })) };
  await play(page, state);
  await page.goto("/egress/");
  await page.locator("[data-event]").nth(texts.length - 1).waitFor();
  await quiet(page);
  await assertInert(page, "hostile titles");
});
