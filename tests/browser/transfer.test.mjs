// How much the search page transfers, and that nothing of it comes from elsewhere.

import assert from "node:assert/strict";
import { browse, measured } from "./harness/app.mjs";
import { settled } from "./harness/pages/console.mjs";
import { searched } from "./harness/records.mjs";

const BYTES_MAX = 100_000;

/** Encoded bytes of everything that a page loads into an empty cache, its own headers included. */
async function transferred(page, context, path) {
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
  await settled(page);
  return bytes;
}

const total = (bytes) => Object.values(bytes).reduce((sum, one) => sum + one, 0);
const said = (bytes) => Object.entries(bytes).map(([type, one]) => `${type.toLowerCase()} ${(one / 1000).toFixed(1)}`).join(", ");

browse("the search page stays below 100 kB", {}, async (page, { context }) => {
  const search = await searched("flood warning");
  const pages = { "the empty search page": "/", "a page of ten results": `/?search_id=${search.id}` };
  for (const [what, path] of Object.entries(pages)) {
    const bytes = await transferred(page, context, path);
    measured(`transfer of ${what}: ${(total(bytes) / 1000).toFixed(1)} kB (${said(bytes)})`);
    assert.ok(total(bytes) < BYTES_MAX, `${what}: ${JSON.stringify(bytes)}`);
  }
});

browse("styles and modules are kept by the browser", { skip: process.env.SVC_WEB_DIR ? "pages come from a folder" : false }, async (page) => {
  const kept = [];
  page.on("response", (response) => {
    if (response.url().includes("/static/")) kept.push([response.url(), response.headers()["cache-control"]]);
  });
  await page.goto("/");
  await settled(page);
  assert.ok(kept.length >= 3);
  for (const [url, control] of kept) assert.match(control ?? "", /immutable/, url);
});
