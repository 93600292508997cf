// First steps on a new installation: the card on the start page and the dashboard, until there is a source.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { checkThemes } from "./harness/page_checks.mjs";
import { axe } from "./harness/axe.mjs";
import { app, browse, signInAt } from "./harness/app.mjs";
import { startInstallation } from "./harness/demo.mjs";
import { waitUntilIdle } from "./harness/pages/console.mjs";

const READER = { name: "reader", password: "long enough for tests" };
const SOURCES = 5;

let service;
const allowed = [];
before(async () => {
  service = await startInstallation(app.program);
  allowed.push(service.base);
  await call("POST", "/svc/users/", { username: READER.name, password: READER.password });
});
after(() => service.stop());

async function call(method, path, body) {
  const authorization = `Basic ${btoa(`admin:${service.password}`)}`;
  const response = await fetch(service.base + path, { method, headers: { authorization, "content-type": "application/json" }, body: body && JSON.stringify(body) });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return response.status === 204 ? null : response.json();
}

/** A test on the new installation; `who` is a name and a password, the administrator by default. */
function browseNew(name, body, who = () => ({ name: "admin", password: service.password })) {
  browse(name, { who: null, allowed, init: axe() }, async (page, more) => {
    await signInAt(more.context, service.base, who());
    await body(page, more);
  });
}

const card = (page) => page.getByRole("region", { name: "Set up your search" });

for (const path of ["/", "/admin/"]) {
  browseNew(`${path} names three steps and the sources that need no key`, async (page) => {
    await page.goto(service.base + path);
    for (const step of ["Add a source", "Try a search", "Invite people"]) {
      await card(page).getByRole("heading", { name: step }).waitFor();
    }
    assert.equal(await card(page).locator("[data-source]").count(), SOURCES);
    await waitUntilIdle(page);
    await checkThemes(page, path);
  });
}

browseNew("the dashboard has no empty charts before the first search", async (page) => {
  await page.goto(`${service.base}/admin/`);
  await page.getByRole("heading", { name: "Recent changes" }).waitFor();
  assert.equal(await page.getByRole("heading", { name: "Searches per minute" }).isVisible(), false);
  assert.equal(await page.locator(".tiles").isVisible(), false);
});

browseNew("another user is referred to the administrator", async (page) => {
  await page.goto(`${service.base}/`);
  await page.getByText("Ask your administrator to add sources.").waitFor();
  assert.equal(await card(page).count(), 0);
}, () => READER);

browseNew("one click adds a source, then a search can be tried, and the card goes", async (page) => {
  await page.goto(`${service.base}/`);
  assert.ok(await card(page).getByRole("link", { name: "Search for" }).isHidden());
  await card(page).getByRole("button", { name: "Add Encyclopedia - Wikipedia" }).click();
  await card(page).getByText("Added", { exact: true }).waitFor();
  assert.ok(await card(page).getByRole("link", { name: "Search for" }).isVisible());
  const saved = (await call("GET", "/svc/searchproviders/")).find((one) => one.name === "Encyclopedia - Wikipedia");
  assert.ok(saved.active && saved.default && saved.shared, JSON.stringify(saved));
  await page.reload();
  assert.equal(await card(page).count(), 0);
  await page.goto(`${service.base}/admin/`);
  assert.equal(await card(page).count(), 0);
  // An inactive source does not count, and its name is taken.
  await call("PATCH", `/svc/searchproviders/${saved.id}/`, { active: false });
  await page.goto(`${service.base}/`);
  await card(page).getByRole("button", { name: "Add Encyclopedia - Wikipedia" }).click();
  await card(page).getByRole("alert").filter({ hasText: /name/ }).waitFor();
  await call("DELETE", `/svc/searchproviders/${saved.id}/`);
});
