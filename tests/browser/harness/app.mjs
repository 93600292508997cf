// The service that the tests visit: where it is, who may come in, and how a test opens a page in it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { chromium } from "./playwright.mjs";
import { assertClean, watch } from "./watch.mjs";

/** Written by run.mjs: `base`, `password`, `sources`, `browser`, `program`. */
export const app = JSON.parse(readFileSync(process.env.SVC_TEST_APP, "utf8"));

const PASSWORD = "long enough for tests";
/** What hangs is ended; these are no measure of speed, so a machine with much other work stays below them. */
const TEST_MS_MAX = 180_000;
const STEP_MS_MAX = 40_000;
/** Everything that a page sends takes so much longer. It finds tests that do not wait for what they did. */
const SLOWER_MS = Number(process.env.SVC_TEST_SLOWER ?? 0);

let connected;
const browser = () => (connected ??= chromium.connect(app.browser));
// The browser may be gone by then; the tests have said what there is to say.
after(async () => (await connected)?.close().catch(() => {}));

let people = 0;
const file = (process.argv[1] ?? "").split("/").pop().replace(/\W.*/, "");

/** Asks the API as somebody; throws with the answer when it is refused. `expect` names a status that is right. */
export async function api(method, path, body, { as = admin, expect = 0 } = {}) {
  const response = await fetch(app.base + path, {
    method,
    headers: { authorization: `Basic ${btoa(`${as.name}:${as.password}`)}`, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  const isRight = expect ? response.status === expect : response.ok;
  if (!isRight) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 600)}`);
  return /json/.test(response.headers.get("content-type") ?? "") && text ? JSON.parse(text) : text;
}

export const admin = { name: "admin", password: app.password };

/** A new person who nobody else uses. */
export async function person(given = {}) {
  const name = given.name ?? `${file}-${process.pid}-${++people}`;
  const made = await api("POST", "/svc/users/", { username: name, password: PASSWORD, ...given.rights });
  return { id: made.id, name, password: PASSWORD };
}

const sessions = new Map();

/** The cookies of somebody who has signed in by the form. */
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

/** Sends the form of the sign-in page; the context has the session then. */
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
 * A context of its own, watched. `who` null: nobody is signed in. `look`: `light` or `dark`; `width` 390 for a phone.
 * Returns `{context, page, seen}`.
 */
export async function open({ who = admin, look = "light", width = 1280, height = 860, language = undefined, script = true, allowed = undefined, init = undefined } = {}) {
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
  if (SLOWER_MS) await context.route("**/*", slower);
  if (init) await context.addInitScript(init);
  const seen = await watch(context, app.base, { allowed });
  const page = await context.newPage();
  return { context, page, seen };
}

async function slower(route) {
  if (["fetch", "xhr"].includes(route.request().resourceType())) await new Promise((done) => setTimeout(done, SLOWER_MS));
  await route.continue().catch(() => {});
}

/** A test in a page of its own. Whatever it does, the page must stay clean. */
export function browse(name, options, body) {
  const { skip, todo, ...given } = options;
  test(`${file}: ${name}`, { timeout: TEST_MS_MAX, skip, todo }, async (t) => {
    const opened = await open({ ...given, who: typeof given.who === "function" ? await given.who() : given.who });
    try {
      await body(opened.page, { ...opened, t });
      await assertClean(opened.context, opened.seen);
    } catch (error) {
      await keepPicture(opened.page, name);
      error.stack += `\n${await shown(opened.page)}`;
      throw error;
    } finally {
      await opened.context.close();
    }
  });
}

/** A test without a page. */
export const check = (name, body, timeout = TEST_MS_MAX) => test(`${file}: ${name}`, { timeout }, body);

/** A picture of a page that failed, when SVC_TEST_PICTURES names a folder. */
async function keepPicture(page, name) {
  const folder = process.env.SVC_TEST_PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${file}-${name.replace(/\W+/g, "-")}.png` }).catch(() => {});
}

/** Where a page that failed is, and what it says to its user. */
async function shown(page) {
  const sayings = await page.locator(".toast, .alert, [role=alert], [role=dialog]").allInnerTexts().catch(() => []);
  return [`    on ${page.url()}`, ...sayings.filter(Boolean).map((saying) => `    which says: ${saying.replace(/\s+/g, " ")}`)].join("\n");
}

/** Says a figure that ./test shows. */
export const measured = (line) => console.log(`measured: ${line}`);
