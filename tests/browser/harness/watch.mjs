// Looks at what a page does while a test uses it: errors, dialogs, foreign requests, breaches of the policy, canaries.

import assert from "node:assert/strict";

/** A refused request is logged by the browser itself; whether a refusal is right is for the test to say. */
const OF_THE_BROWSER = /^Failed to load resource: the server responded with a status of 4\d\d/;

const NOTE_BREACHES = `
  window.breaches = [];
  document.addEventListener("securitypolicyviolation", (event) => {
    window.breaches.push(event.violatedDirective + " " + event.blockedURI + " " + event.sourceFile + ":" + event.lineNumber);
  });
`;

/** Requests under way of each page, and when one last began or ended. */
const traffic = new WeakMap();
const QUIET_MS = 120;
const QUIET_MS_MAX = 40_000;

function countRequests(context) {
  const change = (step) => (request) => {
    const page = request.serviceWorker?.() ? null : request.frame?.()?.page?.();
    if (!page) return;
    const now = traffic.get(page) ?? { open: 0 };
    traffic.set(page, { open: Math.max(0, now.open + step), at: Date.now() });
  };
  context.on("request", change(1));
  context.on("requestfinished", change(-1));
  context.on("requestfailed", change(-1));
}

/** Waits until the page fetches nothing any more. */
export async function quiet(page) {
  await page.waitForLoadState("load");
  for (const end = Date.now() + QUIET_MS_MAX; Date.now() < end; ) {
    const now = traffic.get(page);
    if (!now || (now.open === 0 && Date.now() - now.at >= QUIET_MS)) return;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`${page.url()} does not come to rest`);
}

/** Watches all pages of a context. `allowed` are origins besides our own that a test itself goes to. */
export async function watch(context, base, { allowed = [] } = {}) {
  const seen = { errors: [], dialogs: [], foreign: [], breaches: [], canaries: [] };
  const own = new Set([new URL(base).origin, ...allowed]);
  await context.addInitScript(NOTE_BREACHES);
  context.on("console", (message) => {
    if (message.type() === "error" && !OF_THE_BROWSER.test(message.text())) seen.errors.push(message.text());
  });
  context.on("weberror", (error) => seen.errors.push(String(error.error()?.stack ?? error.error())));
  context.on("dialog", (dialog) => {
    seen.dialogs.push(dialog.message());
    dialog.dismiss().catch(() => {});
  });
  countRequests(context);
  context.on("request", (request) => {
    const url = request.url();
    if (url.startsWith("http") && !own.has(new URL(url).origin)) seen.foreign.push(url);
  });
  return seen;
}

/** Nothing of it may have happened. */
export async function assertClean(context, seen) {
  for (const page of context.pages()) {
    const found = await page.evaluate(() => ({ breaches: window.breaches ?? [], canary: window.canary })).catch(() => ({}));
    seen.breaches.push(...(found.breaches ?? []));
    if (found.canary !== undefined) seen.canaries.push(`${page.url()}: ${found.canary}`);
  }
  assert.deepEqual(seen, { errors: [], dialogs: [], foreign: [], breaches: [], canaries: [] });
}
