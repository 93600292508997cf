// The service under test: its address, its users, and how a test opens a page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { chromium } from "./playwright.mjs";
import { assertClean, watchContext } from "./watch.mjs";

/** Written by run.mjs: `base`, `password`, `sources`, `browser`, `program`. */
export const app = JSON.parse(readFileSync(process.env.SVC_TEST_APP, "utf8"));

const PASSWORD = "long enough for tests";
/** Limits that end a test that hangs. They do not measure speed, so even a busy machine stays below them. */
const TEST_MS_MAX = 180_000;
const STEP_MS_MAX = 40_000;
/** Delay of every request of a page, to find tests that do not wait for a response. */
const DELAY_MS = Number(process.env.SVC_TEST_SLOWER ?? 0);

let connected;
const browser = () => (connected ??= chromium.connect(app.browser));
// The browser may have exited already.
after(async () => (await connected)?.close().catch(() => {}));

let users = 0;
const file = (process.argv[1] ?? "").split("/").pop().replace(/\W.*/, "");

/** Sends a request to the API as a user; throws if it fails. `expect` is an expected error status. */
export async function api(method, path, body, { as = admin, expect = 0 } = {}) {
  const response = await fetch(app.base + path, {
    method,
    headers: { authorization: `Basic ${btoa(`${as.name}:${as.password}`)}`, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  const isExpected = expect ? response.status === expect : response.ok;
  if (!isExpected) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 600)}`);
  return /json/.test(response.headers.get("content-type") ?? "") && text ? JSON.parse(text) : text;
}

export const admin = { name: "admin", password: app.password };

/** Creates a user for one test. */
export async function createUser(overrides = {}) {
  const name = overrides.name ?? `${file}-${process.pid}-${++users}`;
  const created = await api("POST", "/svc/users/", { username: name, password: PASSWORD, ...overrides.rights });
  return { id: created.id, name, password: PASSWORD };
}

const sessions = new Map();

/** The cookies of a user who has signed in with the form. */
async function session(who) {
  if (!sessions.has(who.name)) sessions.set(who.name, signIn(who));
  return sessions.get(who.name);
}

async function signIn(who) {
  const context = await (await browser()).newContext();
  await signInAt(context, app.base, who);
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Submits the form of the sign-in page, which adds the session to the context. */
export async function signInAt(context, base, who) {
  const form = await context.request.get(`${base}/login/`);
  const csrf_token = /name="csrf_token" value="([^"]*)"/.exec(await form.text())[1];
  const answer = await context.request.post(`${base}/login/`, {
    form: { csrf_token, username: who.name, password: who.password, next: "/" },
  });
  assert.equal(answer.status(), 200, `sign-in of ${who.name}`);
  assert.ok(!answer.url().includes("/login/"), `sign-in of ${who.name}`);
}

/**
 * Opens a page in its own context, which is watched. If `who` is null, nobody is signed in. `look` is `light` or `dark`.
 * Returns `{context, page, problems}`.
 */
export async function openPage({ who = admin, look = "light", width = 1280, height = 860, language = undefined, script = true, allowed = undefined, init = undefined } = {}) {
  const context = await (await browser()).newContext({
    baseURL: app.base,
    storageState: who ? await session(who) : undefined,
    colorScheme: look,
    viewport: { width, height },
    locale: language ?? "en-GB",
    javaScriptEnabled: script,
    reducedMotion: "reduce",
    acceptDownloads: true,
  });
  context.setDefaultTimeout(STEP_MS_MAX);
  if (DELAY_MS) await context.route("**/*", delayRequest);
  if (init) await context.addInitScript(init);
  const problems = await watchContext(context, app.base, { allowed });
  const page = await context.newPage();
  return { context, page, problems };
}

async function delayRequest(route) {
  if (["fetch", "xhr"].includes(route.request().resourceType())) await new Promise((done) => setTimeout(done, DELAY_MS));
  await route.continue().catch(() => {});
}

/** A test in its own page. It fails if watch.mjs detects a problem in the page. */
export function browse(name, options, body) {
  const { skip, todo, ...pageOptions } = options;
  test(`${file}: ${name}`, { timeout: TEST_MS_MAX, skip, todo }, async (t) => {
    const tab = await openPage({ ...pageOptions, who: typeof pageOptions.who === "function" ? await pageOptions.who() : pageOptions.who });
    try {
      await body(tab.page, { ...tab, t });
      await assertClean(tab.context, tab.problems);
    } catch (error) {
      await saveScreenshot(tab.page, name);
      error.stack += `\n${await describePage(tab.page)}`;
      throw error;
    } finally {
      await tab.context.close();
    }
  });
}

/** A test without a page. */
export const check = (name, body, timeout = TEST_MS_MAX) => test(`${file}: ${name}`, { timeout }, body);

/** Saves a screenshot of a page whose test failed, if SVC_TEST_PICTURES is set to a folder. */
async function saveScreenshot(page, name) {
  const folder = process.env.SVC_TEST_PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${file}-${name.replace(/\W+/g, "-")}.png` }).catch(() => {});
}

/** The URL of a page whose test failed, and its messages to the user. */
async function describePage(page) {
  const messages = await page.locator(".toast, .alert, [role=alert], [role=dialog]").allInnerTexts().catch(() => []);
  return [`    on ${page.url()}`, ...messages.filter(Boolean).map((message) => `    with message: ${message.replace(/\s+/g, " ")}`)].join("\n");
}

/** Prints a measurement, which ./test shows. */
export const reportMeasurement = (line) => console.log(`measured: ${line}`);
