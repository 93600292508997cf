// Every page of people, and the forms of records; what holds for each of them stands in harness/everywhere.mjs.

import assert from "node:assert/strict";
import { assertAccessible, axe } from "./harness/axe.mjs";
import { looksGood, opens } from "./harness/everywhere.mjs";
import { browse, person } from "./harness/app.mjs";

const PEOPLE = ["/", "/history/", "/account/", "/chat/", "/review/", "/egress/", "/svc/query_transform_form/"];
const RECORDS = [
  "/admin/searchproviders/1/", "/admin/searchproviders/new/", "/admin/aiproviders/1/", "/admin/aiproviders/new/",
  "/admin/users/1/", "/admin/groups/new/", "/admin/prompts/1/", "/admin/querytransforms/new/", "/admin/authenticators/new/",
];

for (const path of [...PEOPLE, ...RECORDS]) opens(path);

browse("sign-in", { who: null, init: axe() }, async (page) => {
  await page.goto("/login/");
  await looksGood(page, "/login/");
});

browse("who is no administrator is told so", { who: () => person(), init: axe() }, async (page) => {
  const answer = await page.goto("/admin/");
  assert.equal(answer.status(), 403);
  assert.equal(await page.locator("nav.nav").count(), 0);
  await page.getByRole("alert").waitFor();
  await assertAccessible(page, "the refusal");
});
