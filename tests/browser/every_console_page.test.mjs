// Every page of the console; what holds for each of them stands in harness/everywhere.mjs.

import assert from "node:assert/strict";
import { opens } from "./harness/everywhere.mjs";
import { browse } from "./harness/app.mjs";
import { CONSOLE } from "./harness/pages/console.mjs";

for (const path of CONSOLE) opens(path);

browse("the list of the console names every page", {}, async (page) => {
  await page.goto("/admin/");
  const links = await page.locator("nav.nav a[href^='/admin/']:visible").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  assert.deepEqual(links, CONSOLE);
  assert.equal(await page.locator("nav.nav a[aria-current=page]:visible").count(), 1);
});

browse("the page that is open can be seen in the list, however low the window is", { height: 480 }, async (page) => {
  for (const path of ["/admin/", "/admin/users/", CONSOLE.at(-1)]) {
    await page.goto(path);
    await page.waitForFunction(() => {
      const list = document.querySelector(".side > .nav").getBoundingClientRect();
      const open = document.querySelector(".side > .nav [aria-current]").getBoundingClientRect();
      return open.top >= list.top && open.bottom <= list.bottom + 1;
    });
  }
});
