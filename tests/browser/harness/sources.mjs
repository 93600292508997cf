// The sources of the tests: JSON over HTTP on a free port of loopback.
//
//   /plain/<name>?delay=20          responds after this number of milliseconds
//   /latched/<latch>/<name>         responds when the latch is opened, so that the test decides the order
//   /failing/500, /busy, /hanging   fails, is rate limited, or never responds
//   /hostile                        every field tries to run a script, to load something, or to be a formula
//   /copies/<name>                  the same documents for every name
//   /help                           results for "How do I reset my password?", of which the last one is the answer
//   /bidi                           a text from right to left, and a long author
//   /dataset                        rows of a table
//   /collection/<name>              documents at /page/<name>/<number>, until the latch of that name is opened
//   /foreign/…                      must never be requested by a page
//
//   /model/<latch>/…                a model that continues its text when the latch is opened
//
//   PUT /latch/<latch>              opens a latch; DELETE closes it again
//   GET /visits                     the requests to /foreign

import { createServer } from "node:http";
import { hostileItems, hostileTexts } from "./hostile.mjs";
import { complete } from "./model.mjs";
import { documentPage, collectionResponse } from "./cached_documents.mjs";

const ITEMS = 10;
/** A closed latch opens after this time, so that a failed test does not block others. */
const LATCH_MS_MAX = 50_000;

const latches = new Map();
const foreignRequests = [];

/** Starts the sources; returns their address. */
export async function startSources() {
  const server = createServer((request, response) => {
    const url = new URL(request.url, "http://sources");
    serve(request, url, response).catch((error) => response.destroy(error));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { base: `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`, stop: () => server.closeAllConnections() ?? server.close() };
}

async function serve(request, url, response) {
  const [, kind, ...rest] = url.pathname.split("/").map(decodeURIComponent);
  const query = url.searchParams.get("q") ?? "";
  const base = `http://${request.headers.host}`;
  const delay = Number(url.searchParams.get("delay") ?? 0);
  if (delay) await sleep(delay);
  switch (kind) {
    case "plain":
      return json(response, answer(query, rest[0], url));
    case "latched":
      await waitForLatch(rest[0]);
      return json(response, answer(query, rest[1], url));
    case "failing":
      return json(response, { error: "broken" }, Number(rest[0] ?? 500));
    case "busy":
      return json(response, { error: "later" }, 429, { "retry-after": url.searchParams.get("after") ?? "60" });
    case "hanging":
      return;
    case "hostile":
      return json(response, { total: 8, items: hostileItems(query, base) });
    case "copies":
      return json(response, { total: 4, items: copies(query) });
    case "help":
      return json(response, { total: HELP.length, items: HELP });
    case "bidi":
      return json(response, { total: 2, items: bidiItems(query) });
    case "dataset":
      return json(response, { total: 6, items: table(rest[0], `${base}/foreign`) });
    case "collection":
      return json(response, collectionResponse(query, rest[0], base));
    case "page":
      if (latches.get(rest[0])?.isOpen) return json(response, { error: "cleared" }, 404);
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      return response.end(request.method === "HEAD" ? "" : documentPage(rest[0], rest[1], `${base}/foreign`));
    case "model":
      return complete(request, response, `${base}/foreign`, waitForLatch(rest[0]));
    case "latch":
      return json(response, setLatch(rest[0], request.method === "PUT"));
    case "foreign":
      foreignRequests.push(url.pathname);
      return json(response, {});
    case "visits":
      return json(response, foreignRequests);
    default:
      return json(response, { error: "no such source" }, 404);
  }
}

function json(response, body, status = 200, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** `strength` from 0 to 1: the share of results that match the query, so that a test decides which source has better ones. */
function answer(query, name, url) {
  const count = Number(url.searchParams.get("count") ?? ITEMS);
  const strength = Number(url.searchParams.get("strength") ?? 0.5);
  const items = Array.from({ length: count }, (_, index) => item(query, name, index, strength));
  return { total: count + 7, items };
}

const FILLER = ["gauge", "bridge", "meadow", "harbour", "valley", "pump", "signal", "archive", "survey", "lantern"];

function item(query, name, index, strength) {
  const words = FILLER.slice(index % 5, (index % 5) + 4).join(" ");
  const isMatch = strength >= 1 || (strength > 0 && index % Math.round(1 / strength) === 0);
  return {
    title: isMatch ? `${query} of ${name}, part ${index + 1}` : `Notes of ${name}, part ${index + 1}`,
    body: isMatch ? `All about ${query}: ${query} in the ${words}. Seen by ${name}.` : `The ${words} by ${name}, with ${query} at the end.`,
    url: `https://${name}.example/documents/${index + 1}`,
    author: index % 2 ? "Ada Brook" : "Ben Weir",
    date: `20${String(10 + (index % 15)).padStart(2, "0")}-03-0${1 + (index % 9)}T10:00:00Z`,
    extra: { collection: `${name} collection ${index}`, pages: 10 + index },
  };
}

function copies(query) {
  return [1, 2, 3, 4].map((index) => ({
    title: `${query}, shared document ${index}`,
    body: `The same text about ${query} wherever it stands, number ${index}.`,
    url: `https://shared.example/documents/${index}`,
    author: "Carl Shared",
    date: "2024-05-06T07:00:00Z",
  }));
}

const HELP = [
  ["Reset of the river gauge", "How the gauge was reset after the flood."],
  ["Password of the week", "A puzzle for children: find my password."],
  ["My reset button", "How do I paint a button."],
  ["How do I do my garden", "How do I do it."],
  ["Login help", "To choose a new password, open the settings of your account."],
].map(([title, body], index) => ({ title, body, url: `https://help.example/documents/${index + 1}` }));

/** A Hebrew text with a direction override, and an author without spaces. */
function bidiItems(query) {
  const item = (number, title, author) => ({ title, body: title, url: `https://bidi.example/documents/${number}`, author, date: "2024-05-06T07:00:00Z" });
  return [item(1, `שלום \u202e${query}.`, "ש"), item(2, `A report on ${query}`, "A".repeat(200))];
}

function table(kind, foreign) {
  if (kind === "hostile") return hostileTexts(foreign).map((text, index) => ({ [hostileTexts(foreign)[0]]: text, [hostileTexts(foreign)[1]]: index + 1 }));
  const regions = ["North", "East", "South", "West", "Delta", "Coast"];
  if (kind === "numbers") return regions.map((_, index) => ({ rainfall: 10 + index * 7, level: 2 + index * 1.5 }));
  if (kind === "sizes") return regions.map((_, index) => ({ rainfall: 10 + index * 7, level: 2 + index * 1.5, people: 100 + index * 400 }));
  if (kind === "many") return Array.from({ length: 30 }, (_, index) => ({ station: `Station ${index}`, level: index * 3 }));
  return regions.map((region, index) => ({ region, sales: 12 + index * 9 }));
}

function setLatch(name, isOpen) {
  const found = latches.get(name) ?? { isOpen: false, waiting: [] };
  latches.set(name, found);
  found.isOpen = isOpen;
  if (isOpen) for (const go of found.waiting.splice(0)) go();
  return { name, isOpen };
}

function waitForLatch(name) {
  const found = latches.get(name) ?? { isOpen: false, waiting: [] };
  latches.set(name, found);
  if (found.isOpen) return Promise.resolve();
  return new Promise((go) => {
    found.waiting.push(go);
    setTimeout(go, LATCH_MS_MAX).unref();
  });
}
