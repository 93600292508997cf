// A session that ends while a page is open: the user signs in again on the page, and nothing is lost.

import assert from "node:assert/strict";
import { assertAccessible, assertReadable, axe } from "./harness/axe.mjs";
import { api, browse, createUser, signInAt, app } from "./harness/app.mjs";
import { assertNarrow, PHONE } from "./harness/narrow.mjs";
import { waitUntilIdle } from "./harness/pages/console.mjs";

let user;
const who = async () => (user = await createUser());
const dialogOf = (page) => page.getByRole("dialog", { name: "Your session ended" });
const profile = (page) => page.locator("section#profile");

/** Replaces the key of the session by one that is not valid. */
async function endSession(context) {
  const cookies = await context.cookies();
  await context.addCookies(cookies.map((one) => (one.name.endsWith("tributary_session") ? { ...one, value: "over" } : one)));
}

/** Opens the profile, changes the address, ends the session, and saves. */
async function saveWithoutSession(page, context) {
  await page.goto("/account/");
  await profile(page).getByLabel("Email").fill("typed@people.example");
  await waitUntilIdle(page);
  await endSession(context);
  await profile(page).getByRole("button", { name: "Save" }).click();
  await dialogOf(page).waitFor();
}

const emailOf = async (one) => (await api("GET", "/svc/users/me/", undefined, { as: one })).email;

browse("the password is enough to continue on the page, and the request is repeated", { who, init: axe() }, async (page, { context }) => {
  const challenges = [];
  page.on("response", (answer) => answer.status() === 401 && challenges.push(answer.headers()["www-authenticate"]));
  let loads = 0;
  page.on("load", () => loads++);
  await saveWithoutSession(page, context);
  const password = dialogOf(page).getByLabel("Password");
  assert.ok(await password.evaluate((field) => field === document.activeElement));
  await assertAccessible(page, "the dialog");
  await password.fill("not this one");
  await page.keyboard.press("Enter");
  await dialogOf(page).getByText("Incorrect username or password.").waitFor();
  assert.equal(await emailOf(user), "");
  await password.fill(user.password);
  await dialogOf(page).getByRole("button", { name: "Continue" }).click();
  await dialogOf(page).waitFor({ state: "detached" });
  await waitUntilIdle(page);
  assert.equal(await emailOf(user), "typed@people.example");
  assert.deepEqual([...new Set(challenges)], [undefined], "the browser asks for no password itself");
  assert.equal(loads, 1, "the page was not loaded again");
  await page.locator("summary", { hasText: "Menu for" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/login/**");
});

browse("the dialog fits on a phone and is readable in the dark theme", { who, init: axe() }, async (page, { context }) => {
  await saveWithoutSession(page, context);
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: "dark" });
  await assertNarrow(page, "the dialog");
  await assertReadable(page, "the dialog on a phone, in dark");
});

browse("the dialog can be closed, and the next change asks again", { who }, async (page, { context }) => {
  await saveWithoutSession(page, context);
  await page.keyboard.press("Escape");
  await dialogOf(page).waitFor({ state: "detached" });
  await page.getByText("Your session ended. Reload the page to sign in again.").first().waitFor();
  assert.equal(await profile(page).getByLabel("Email").inputValue(), "typed@people.example");
  await profile(page).getByRole("button", { name: "Save" }).click();
  await dialogOf(page).waitFor();
});

browse("who has signed in elsewhere meanwhile continues without a question", { who }, async (page, { context }) => {
  await page.goto("/account/");
  await profile(page).getByLabel("Email").fill("elsewhere@people.example");
  await waitUntilIdle(page);
  await signInAt(context, app.base, user);
  await profile(page).getByRole("button", { name: "Save" }).click();
  await waitUntilIdle(page);
  await page.waitForFunction(() => !document.querySelector("dialog[open]"));
  assert.equal(await emailOf(user), "elsewhere@people.example");
});

browse("the session of somebody else does not continue the page", { who }, async (page, { context }) => {
  const other = await createUser();
  await page.goto("/account/");
  await profile(page).getByLabel("Email").fill("mine@people.example");
  await waitUntilIdle(page);
  await signInAt(context, app.base, other);
  const reloaded = page.waitForEvent("load");
  await profile(page).getByRole("button", { name: "Save" }).click();
  await reloaded;
  assert.equal(await page.locator('meta[name="user"]').getAttribute("content"), other.name);
  await waitUntilIdle(page);
  assert.equal(await profile(page).getByLabel("Email").inputValue(), "", "the input is not the other user's");
  assert.equal(await emailOf(other), "");
  assert.equal(await emailOf(user), "");
});
