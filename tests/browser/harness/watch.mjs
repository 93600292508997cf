// Watches pages during a test: errors, dialogs, requests to other hosts, violations of the content security policy, and
// canaries that a hostile text has set.

import assert from "node:assert/strict";

/** The browser logs failed requests itself; the test decides whether a failure is expected. */
const BROWSER_MESSAGE = /^Failed to load resource: the server responded with a status of 4\d\d/;

const RECORD_BREACHES = `
  window.breaches = [];
  document.addEventListener("securitypolicyviolation", (event) => {
    window.breaches.push(event.violatedDirective + " " + event.blockedURI + " " + event.sourceFile + ":" + event.lineNumber);
  });
`;

/** The pending requests of each page, and when the last one began or ended. */
const traffic = new WeakMap();
const IDLE_MS = 120;
const IDLE_WAIT_MS_MAX = 40_000;

function countRequests(context) {
  const change = (update) => (request) => {
    const page = request.serviceWorker?.() ? null : request.frame?.()?.page?.();
    if (!page) return;
    const pending = traffic.get(page)?.pending ?? new Set();
    update(pending, request);
    traffic.set(page, { pending, at: Date.now() });
  };
  const end = change((pending, request) => pending.delete(request));
  context.on("request", change((pending, request) => pending.add(request)));
  context.on("requestfinished", end);
  context.on("requestfailed", end);
}

/** Waits until the page has no pending requests. */
export async function waitUntilIdle(page) {
  await page.waitForLoadState("load");
  for (const end = Date.now() + IDLE_WAIT_MS_MAX; Date.now() < end; ) {
    const now = traffic.get(page);
    if (!now || (now.pending.size === 0 && Date.now() - now.at >= IDLE_MS)) return;
    await new Promise((done) => setTimeout(done, 20));
  }
  const pending = [...(traffic.get(page)?.pending ?? [])].map((request) => request.url());
  throw new Error(`${page.url()} does not become idle: ${pending.join(", ")}`);
}

/** Watches all pages of a context. `allowed` are other origins that the test visits itself. */
export async function watchContext(context, base, { allowed = [] } = {}) {
  const problems = { errors: [], dialogs: [], foreign: [], breaches: [], canaries: [] };
  const own = new Set([new URL(base).origin, ...allowed]);
  await context.addInitScript(RECORD_BREACHES);
  context.on("console", (message) => {
    if (message.type() === "error" && !BROWSER_MESSAGE.test(message.text())) problems.errors.push(message.text());
  });
  context.on("weberror", (error) => problems.errors.push(String(error.error()?.stack ?? error.error())));
  context.on("dialog", (dialog) => {
    problems.dialogs.push(dialog.message());
    dialog.dismiss().catch(() => {});
  });
  countRequests(context);
  context.on("request", (request) => {
    const url = request.url();
    if (url.startsWith("http") && !own.has(new URL(url).origin)) problems.foreign.push(url);
  });
  return problems;
}

/** Fails if there were problems in a page of the context. */
export async function assertClean(context, problems) {
  for (const page of context.pages()) {
    const found = await page.evaluate(() => ({ breaches: window.breaches ?? [], canary: window.canary })).catch(() => ({}));
    problems.breaches.push(...(found.breaches ?? []));
    if (found.canary !== undefined) problems.canaries.push(`${page.url()}: ${found.canary}`);
  }
  assert.deepEqual(problems, { errors: [], dialogs: [], foreign: [], breaches: [], canaries: [] });
}
