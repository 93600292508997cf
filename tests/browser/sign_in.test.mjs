// Sign-in and sign-out.

import assert from "node:assert/strict";
import { admin, browse, app, createUser } from "./harness/app.mjs";
import { runSearch } from "./harness/records.mjs";

browse("a wrong password is refused with a message, and the right one leads to the requested page", { who: null }, async (page) => {
  const user = await createUser();
  await page.goto("/history/");
  assert.equal(new URL(page.url()).pathname, "/login/");
  await page.getByLabel("Username").fill(user.name);
  await page.getByLabel("Password").fill("not this one");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByLabel("Username").inputValue(), user.name);
  await page.getByLabel("Password").fill(user.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/history/");
});

browse("a link to a list works after signing in", { who: null }, async (page) => {
  const user = await createUser();
  const search = await runSearch("flood warning", { as: user });
  await page.goto(`/?search_id=${search.id}&page=2`);
  assert.equal(new URL(page.url()).pathname, "/login/");
  await page.getByLabel("Username").fill(user.name);
  await page.getByLabel("Password").fill(user.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => url.search.startsWith(`?search_id=${search.id}&page=2`));
});

browse("signing out ends the session", { who: () => createUser() }, async (page, { context }) => {
  await page.goto("/");
  const before = await context.cookies();
  await page.locator("summary", { hasText: "Menu for" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/login/**");
  await context.addCookies(before);
  await page.goto("/");
  assert.equal(new URL(page.url()).pathname, "/login/", "the old cookie is not accepted");
});

browse("signing in does not lead to another site", { who: null }, async (page) => {
  await page.goto(`/login/?next=${encodeURIComponent("//foreign.example/")}`);
  await page.getByLabel("Username").fill(admin.name);
  await page.getByLabel("Password").fill(admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${app.base}/`);
});

browse("a form or a change without a valid CSRF token is refused", {}, async (page, { context }) => {
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

browse("an API URL that is opened without a session leads to the sign-in page", { who: null }, async (page) => {
  await page.goto("/svc/searchproviders/");
  assert.equal(new URL(page.url()).pathname, "/login/");
  assert.ok(!(await page.content()).includes("Version"));
});
