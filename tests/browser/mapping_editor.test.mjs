// The editor of the mappings in the form of a source.

import assert from "node:assert/strict";
import { api, browse } from "./harness/app.mjs";
import { axe } from "./harness/axe.mjs";
import { checkThemes } from "./harness/page_checks.mjs";
import { visit } from "./harness/pages/console.mjs";
import { createSource, uniqueName } from "./harness/records.mjs";

const text = (page, name) => page.locator(`#field-${name}`).inputValue();

async function load(page, query) {
  await page.getByLabel("Sample query").fill(query);
  await page.getByRole("button", { name: "Load a sample" }).click();
  await page.locator(".map-field").first().waitFor();
}

browse("a value of the response is assigned to a field of a source, and saved", { init: axe() }, async (page) => {
  const source = await createSource("/plain/mapped", { name: uniqueName("Mapped") });
  await visit(page, `/admin/searchproviders/${source.id}/`);
  await load(page, "river");
  assert.equal(await page.getByLabel("Path for Title").inputValue(), "title", "the mapping of the source is shown");
  await checkThemes(page, "the editor of the mappings");
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.getByRole("button", { name: "Choose Author" }).click();
  await page.locator(".tree button.leaf").filter({ hasText: "collection" }).first().click();
  assert.match(await text(page, "result_mappings"), /author=extra\.collection/);
  assert.match(await text(page, "result_mappings"), /NO_PAYLOAD/, "what the editor does not know is kept");
  assert.equal(await text(page, "response_mappings"), "RESULTS=items,FOUND=total");
  await page.getByText("Unsaved changes").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.").waitFor();
  assert.match((await api("GET", `/svc/searchproviders/${source.id}/`)).result_mappings, /author=extra\.collection/);
  await page.getByRole("button", { name: "Close the editor" }).click();
  assert.equal(await page.locator(".map-field").count(), 0);
  await api("DELETE", `/svc/searchproviders/${source.id}/`);
});

browse("a text that is edited by hand is shown in the editor", {}, async (page) => {
  const source = await createSource("/plain/by_hand", { name: uniqueName("By hand") });
  await visit(page, `/admin/searchproviders/${source.id}/`);
  await load(page, "river");
  await page.getByText("Expert: edit as text").click();
  await page.locator("#field-result_mappings").fill("title=body,NO_PAYLOAD");
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => document.querySelector("input.path").value === "body");
  await api("DELETE", `/svc/searchproviders/${source.id}/`);
});

browse("mappings that do not match are replaced by suggestions", {}, async (page) => {
  const source = await createSource("/plain/unmapped", { name: uniqueName("Unmapped"), response_mappings: "RESULTS=gone", result_mappings: "" });
  await visit(page, `/admin/searchproviders/${source.id}/`);
  await load(page, "river");
  await page.getByText("The mappings do not match this response.").waitFor();
  assert.equal(await text(page, "response_mappings"), "RESULTS=gone", "nothing is changed without a click");
  await page.getByRole("button", { name: "Use the suggestions" }).click();
  assert.match(await text(page, "response_mappings"), /RESULTS=items/);
  assert.match(await text(page, "result_mappings"), /title=title/);
  await api("DELETE", `/svc/searchproviders/${source.id}/`);
});

browse("a source that fails says why there is no sample", {}, async (page) => {
  const source = await createSource("/failing/500", { name: uniqueName("Failing") });
  await visit(page, `/admin/searchproviders/${source.id}/`);
  await page.getByLabel("Sample query").fill("river");
  await page.keyboard.press("Enter");
  await page.locator(".mapping-editor .field-error").filter({ hasText: /\w/ }).waitFor();
  assert.match(page.url(), new RegExp(`/admin/searchproviders/${source.id}/$`), "Enter does not save the form");
  await api("DELETE", `/svc/searchproviders/${source.id}/`);
});
