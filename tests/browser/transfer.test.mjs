// Transfer size of the search page, and caching of its files.

import assert from "node:assert/strict";
import { browse, reportMeasurement } from "./harness/app.mjs";
import { waitUntilIdle } from "./harness/pages/console.mjs";
import { runSearch } from "./harness/records.mjs";

const BYTES_MAX = 100_000;

/** Encoded bytes of everything that a page loads with an empty cache, including headers. */
async function measureTransfer(page, context, path) {
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  const types = new Map();
  const bytes = {};
  session.on("Network.responseReceived", ({ requestId, type }) => types.set(requestId, type));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const type = types.get(requestId) ?? "Other";
    bytes[type] = (bytes[type] ?? 0) + encodedDataLength;
  });
  await page.goto(path);
  await waitUntilIdle(page);
  return bytes;
}

const total = (bytes) => Object.values(bytes).reduce((sum, one) => sum + one, 0);
const byType = (bytes) => Object.entries(bytes).map(([type, one]) => `${type.toLowerCase()} ${(one / 1000).toFixed(1)}`).join(", ");

/** In a language, the texts of the page are a part of it; a folder has them in one file. */
const LANGUAGES = process.env.SVC_WEB_DIR ? ["en-US"] : ["en-US", "de-DE", "fr-FR"];

for (const language of LANGUAGES) browse(`the search page stays below 100 kB (${language})`, { language }, async (page, { context }) => {
  const search = await runSearch("flood warning");
  const pages = { "the empty search page": "/", "a page of ten results": `/?search_id=${search.id}` };
  for (const [what, path] of Object.entries(pages)) {
    const bytes = await measureTransfer(page, context, path);
    reportMeasurement(`transfer of ${what} (${language}): ${(total(bytes) / 1000).toFixed(1)} kB (${byType(bytes)})`);
    assert.ok(total(bytes) < BYTES_MAX, `${what}: ${JSON.stringify(bytes)}`);
  }
});

browse("the browser caches styles and modules", { skip: process.env.SVC_WEB_DIR ? "pages come from a folder" : false }, async (page) => {
  const responses = [];
  page.on("response", (response) => {
    if (response.url().includes("/static/")) responses.push([response.url(), response.headers()["cache-control"]]);
  });
  await page.goto("/");
  await waitUntilIdle(page);
  assert.ok(responses.length >= 3);
  for (const [url, control] of responses) assert.match(control ?? "", /immutable/, url);
});
