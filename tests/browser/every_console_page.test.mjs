// Every page of the console, with the checks of harness/page_checks.mjs.

import assert from "node:assert/strict";
import { checkPage } from "./harness/page_checks.mjs";
import { api, browse } from "./harness/app.mjs";
import { CONSOLE, SECTIONS, visit } from "./harness/pages/console.mjs";

for (const path of CONSOLE) checkPage(path);

browse("the navigation has an entry for each section, and tabs for its pages", {}, async (page) => {
  const hrefs = (links) => links.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  for (const paths of SECTIONS) {
    await page.goto(paths.at(-1));
    assert.deepEqual(await hrefs(page.locator("nav.nav a:visible")), SECTIONS.map(([first]) => first));
    assert.deepEqual(await hrefs(page.locator("nav.nav a[aria-current=page]:visible")), [paths[0]]);
    const tabs = page.locator("nav.tabs a");
    assert.deepEqual((await hrefs(tabs)).filter((path) => path.startsWith("/admin/")), paths.length > 1 || paths[0] === "/admin/cache/" ? paths : []);
    if (await tabs.count()) assert.deepEqual(await hrefs(page.locator("nav.tabs a[aria-current=page]")), [paths.at(-1)]);
  }
});

browse("the current tab is visible on a phone", { width: 390, height: 800 }, async (page) => {
  await page.goto("/admin/license/");
  await page.waitForFunction(() => {
    const tabs = document.querySelector(".tabs").getBoundingClientRect();
    const tab = document.querySelector(".tabs [aria-current]").getBoundingClientRect();
    return tab.left >= tabs.left - 1 && tab.right <= tabs.right + 1;
  });
});

browse("tabs that do not fit fade out at the right, until the end is reached", { width: 390, height: 800 }, async (page) => {
  await page.goto("/admin/settings/");
  await page.waitForFunction(() => document.querySelector(".tabs").classList.contains("has-more"));
  await page.goto("/admin/license/");
  await page.waitForFunction(() => document.querySelector(".tabs").scrollLeft > 0 && !document.querySelector(".tabs").classList.contains("has-more"));
});

browse("the main button of a list is its first on a phone", { width: 390, height: 800 }, async (page) => {
  await visit(page, "/admin/searchproviders/");
  const main = await page.getByRole("link", { name: "Add a source" }).last().boundingBox();
  const other = await page.getByRole("link", { name: "Expert form" }).boundingBox();
  assert.ok(main.y < other.y || (main.y === other.y && main.x < other.x), JSON.stringify([main, other]));
});

browse("the heading of a form is the name of the record", {}, async (page) => {
  const { id, username } = (await api("GET", "/svc/users/")).find((one) => one.username === "admin");
  await visit(page, `/admin/users/${id}/`);
  assert.equal(await page.locator("h1").innerText(), username);
  assert.match(await page.title(), /^admin - Users - /);
  await page.locator("nav.tabs a[aria-current=true]").click();
  await page.waitForURL("**/admin/users/");
  await visit(page, "/admin/groups/new/");
  assert.equal(await page.locator("h1").innerText(), "New group");
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
