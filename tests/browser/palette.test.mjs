// The command palette of the console: pages, sources and settings by name, with the keyboard alone.

import assert from "node:assert/strict";
import { api, browse } from "./harness/app.mjs";
import { axe } from "./harness/axe.mjs";
import { checkThemes } from "./harness/page_checks.mjs";
import { CONSOLE, visit, waitUntilIdle } from "./harness/pages/console.mjs";
import { createSource, uniqueName } from "./harness/records.mjs";

const box = (page) => page.getByRole("combobox", { name: "Find a page, source or setting" });
const options = (page) => page.locator(".palette [role=option]");

async function open(page) {
  await page.keyboard.press("Control+k");
  await options(page).first().waitFor();
}

browse("the palette is loaded when it is opened, and lists every page", { init: axe() }, async (page) => {
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  await visit(page, "/admin/license/");
  assert.ok(!requests.some((url) => url.includes("/palette/")));
  await open(page);
  const hrefs = await options(page).evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  assert.deepEqual(hrefs.filter((path) => path.startsWith("/admin/")).sort(), [...CONSOLE].sort());
  await checkThemes(page, "the palette");
  await page.keyboard.press("Escape");
  await box(page).waitFor({ state: "hidden" });
});

browse("a page is opened with the keyboard", {}, async (page) => {
  await visit(page, "/admin/license/");
  await page.getByRole("button", { name: "Go to…" }).click();
  await options(page).first().waitFor();
  await box(page).fill("audit");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/admin/audit/");
});

browse("the arrows select an entry, which is announced", {}, async (page) => {
  await visit(page, "/admin/license/");
  await open(page);
  const active = () => box(page).getAttribute("aria-activedescendant");
  const first = await active();
  await page.keyboard.press("ArrowDown");
  const second = await active();
  assert.notEqual(first, second);
  assert.equal(await page.locator(`#${second}`).getAttribute("aria-selected"), "true");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  assert.equal(await page.locator(`#${await active()}`).innerText(), await options(page).last().innerText(), "it continues at the end");
  await box(page).fill("zzqx nothing has this name");
  await page.getByText("Nothing found.").waitFor();
  assert.equal(await box(page).getAttribute("aria-expanded"), "false");
  await page.keyboard.press("Control+k");
  await box(page).waitFor({ state: "hidden" });
});

browse("sources and settings are found by name", {}, async (page) => {
  const source = await createSource("/plain/palette", { name: uniqueName("Weir <b>gauge</b>") });
  await visit(page, "/admin/license/");
  await open(page);
  await box(page).fill(source.name);
  await options(page).filter({ hasText: source.name }).click();
  await page.waitForURL(`**/admin/searchproviders/${source.id}/`);
  await waitUntilIdle(page);
  await open(page);
  await box(page).fill("svc_timeout");
  await options(page).filter({ hasText: "SVC_TIMEOUT" }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/admin/settings/?text=SVC_TIMEOUT");
  await page.locator("#work tbody tr").filter({ hasText: "SVC_TIMEOUT" }).first().waitFor();
  await api("DELETE", `/svc/searchproviders/${source.id}/`);
});
