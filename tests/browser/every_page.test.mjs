// Every page outside of the console, and the forms of records, with the checks of harness/page_checks.mjs.

import assert from "node:assert/strict";
import { assertAccessible, axe } from "./harness/axe.mjs";
import { checkThemes, checkPage } from "./harness/page_checks.mjs";
import { browse, createUser } from "./harness/app.mjs";

const USER_PAGES = ["/", "/history/", "/account/", "/chat/", "/review/", "/egress/", "/svc/query_transform_form/"];
const RECORDS = [
  "/admin/searchproviders/1/", "/admin/searchproviders/new/", "/admin/aiproviders/1/", "/admin/aiproviders/new/",
  "/admin/users/1/", "/admin/groups/new/", "/admin/prompts/1/", "/admin/querytransforms/new/", "/admin/authenticators/new/",
];

for (const path of [...USER_PAGES, ...RECORDS]) checkPage(path);

browse("sign-in", { who: null, init: axe() }, async (page) => {
  await page.goto("/login/");
  await checkThemes(page, "/login/");
});

browse("a page that does not exist", { init: axe() }, async (page) => {
  const answer = await page.goto("/nothing/");
  assert.equal(answer.status(), 404);
  await checkThemes(page, "the page for status 404");
});

browse("the console refuses users who are not administrators", { who: () => createUser(), init: axe() }, async (page) => {
  const answer = await page.goto("/admin/");
  assert.equal(answer.status(), 403);
  assert.equal(await page.locator("nav.nav").count(), 0);
  await page.getByRole("alert").waitFor();
  await assertAccessible(page, "the refusal");
});
