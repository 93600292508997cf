// The way in and the way out.

import assert from "node:assert/strict";
import { admin, browse, app, person } from "./harness/app.mjs";
import { searched } from "./harness/records.mjs";

browse("the wrong password is refused in words, the right one leads to where one wanted to go", { who: null }, async (page) => {
  const reader = await person();
  await page.goto("/history/");
  assert.equal(new URL(page.url()).pathname, "/login/");
  await page.getByLabel("Username").fill(reader.name);
  await page.getByLabel("Password").fill("not this one");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByLabel("Username").inputValue(), reader.name);
  await page.getByLabel("Password").fill(reader.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/history/");
});

browse("a link that was kept leads to the same list after signing in", { who: null }, async (page) => {
  const reader = await person();
  const search = await searched("flood warning", { as: reader });
  await page.goto(`/?search_id=${search.id}&page=2`);
  assert.equal(new URL(page.url()).pathname, "/login/");
  await page.getByLabel("Username").fill(reader.name);
  await page.getByLabel("Password").fill(reader.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => url.search === `?search_id=${search.id}&page=2`);
});

browse("signing out ends the session", { who: () => person() }, async (page, { context }) => {
  await page.goto("/");
  const before = await context.cookies();
  await page.locator("summary", { hasText: "Menu for" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/login/**");
  await context.addCookies(before);
  await page.goto("/");
  assert.equal(new URL(page.url()).pathname, "/login/", "the old cookie is worth nothing");
});

browse("signing in leads nowhere else", { who: null }, async (page) => {
  await page.goto(`/login/?next=${encodeURIComponent("//foreign.example/")}`);
  await page.getByLabel("Username").fill(admin.name);
  await page.getByLabel("Password").fill(admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${app.base}/`);
});

browse("a form or a change without its token is refused", {}, async (page, { context }) => {
  await page.goto("/");
  const answer = await context.request.post("/logout/", { form: { csrf_token: "guessed" } });
  assert.equal(answer.status(), 403);
  for (const headers of [{}, { "x-csrf-token": "guessed" }]) {
    const change = await context.request.post("/svc/groups/", { data: { name: "forged" }, headers });
    assert.equal(change.status(), 403);
  }
  await page.reload();
  assert.equal(new URL(page.url()).pathname, "/");
});

let typist;
browse("a session that ends while one types leads to signing in, without a dialog, and back to what was typed", { who: async () => (typist = await person()) }, async (page, { context }) => {
  await page.goto("/account/");
  const mail = page.locator("section#profile").getByLabel("Email");
  await mail.fill("typed@people.example");
  const cookies = await context.cookies();
  await context.addCookies(cookies.map((one) => (one.name.endsWith("tributary_session") ? { ...one, value: "over" } : one)));
  const challenges = [];
  page.on("response", (answer) => answer.status() === 401 && challenges.push(answer.headers()["www-authenticate"]));
  await page.locator("section#profile").getByRole("button", { name: "Save" }).click();
  await page.waitForURL("**/login/?next=**");
  assert.deepEqual(challenges, [undefined]);
  await page.getByLabel("Username").fill(typist.name);
  await page.getByLabel("Password").fill(typist.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/account/");
  await page.waitForFunction(() => document.querySelector("section#profile input[type=email], section#profile input")?.value === "typed@people.example");
});

browse("an address of the API that is opened without being signed in leads to the sign-in page", { who: null }, async (page) => {
  await page.goto("/svc/searchproviders/");
  assert.equal(new URL(page.url()).pathname, "/login/");
  assert.ok(!(await page.content()).includes("Version"));
});
