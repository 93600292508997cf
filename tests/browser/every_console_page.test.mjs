// Every page of the console, with the checks of harness/page_checks.mjs.

import assert from "node:assert/strict";
import { checkPage } from "./harness/page_checks.mjs";
import { browse } from "./harness/app.mjs";
import { CONSOLE } from "./harness/pages/console.mjs";

for (const path of CONSOLE) checkPage(path);

browse("the navigation of the console has every page", {}, async (page) => {
  await page.goto("/admin/");
  const links = await page.locator("nav.nav a[href^='/admin/']:visible").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  assert.deepEqual(links, CONSOLE);
  assert.equal(await page.locator("nav.nav a[aria-current=page]:visible").count(), 1);
});

browse("the current page is visible in the navigation, also in a low window", { height: 480 }, async (page) => {
  for (const path of ["/admin/", "/admin/users/", CONSOLE.at(-1)]) {
    await page.goto(path);
    await page.waitForFunction(() => {
      const list = document.querySelector(".side > .nav").getBoundingClientRect();
      const open = document.querySelector(".side > .nav [aria-current]").getBoundingClientRect();
      return open.top >= list.top && open.bottom <= list.bottom + 1;
    });
  }
});
