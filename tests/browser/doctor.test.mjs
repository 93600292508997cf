// The page that adds a source: a JSON API becomes a source without knowledge of the configuration.

import assert from "node:assert/strict";
import { api, browse, app, reportMeasurement } from "./harness/app.mjs";
import { uniqueName } from "./harness/records.mjs";

/** Estimated seconds of a user for each page, click and field. */
const PERSON_SECONDS = { page: 5, click: 3, field: 8 };
const SECONDS_MAX = 120;

/** Counts the actions of a user. */
function countActions() {
  const count = { clicks: 0, fields: 0 };
  return {
    count,
    click: async (locator) => {
      count.clicks++;
      await locator.click();
    },
    fill: async (locator, text) => {
      count.fields++;
      await locator.fill(text);
    },
  };
}

browse("a JSON API becomes a source in a few clicks", {}, async (page) => {
  const name = uniqueName("Doctor");
  const { count, click, fill } = countActions();
  const started = Date.now();
  await page.goto("/admin/");
  await click(page.getByRole("link", { name: "Sources", exact: true }).first());
  await click(page.getByRole("link", { name: "Add a source" }).first());
  await fill(page.getByLabel("URL or curl command"), `${app.sources}/plain/library?q=river`);
  assert.equal(await page.getByLabel("Query in this request").inputValue(), "river", "the query is detected");
  await click(page.getByRole("button", { name: "Send request", exact: true }));
  await page.locator(".map-field").first().waitFor();
  for (const [field, path] of [["Title", "title"], ["URL", "url"], ["Date", "date"], ["Author", "author"]]) {
    assert.match(await page.getByLabel(`Path for ${field}`).inputValue(), new RegExp(path), field);
  }
  await fill(page.getByLabel("Name", { exact: true }), name);
  await click(page.getByRole("button", { name: "Test", exact: true }));
  await page.getByText("It works.").waitFor();
  await click(page.getByRole("button", { name: "Save", exact: true }));
  await page.locator(".done-line").filter({ hasText: `${name} was saved.` }).waitFor();
  const seconds = PERSON_SECONDS.page * 2 + PERSON_SECONDS.click * count.clicks + PERSON_SECONDS.field * count.fields;
  reportMeasurement(`adding a source: ${count.clicks} clicks, ${count.fields} fields, ${((Date.now() - started) / 1000).toFixed(1)} s by script, about ${seconds} s by a user`);
  assert.ok(seconds < SECONDS_MAX);

  await click(page.getByRole("link", { name: "Try a search" }));
  await page.getByText("river of library, part 1", { exact: false }).first().waitFor();
  const found = (await api("GET", "/svc/searchproviders/")).find((one) => one.name === name);
  await api("DELETE", `/svc/searchproviders/${found.id}/`);
});

browse("errors of a request are shown at its field", {}, async (page) => {
  await page.goto("/admin/doctor/");
  await page.getByRole("button", { name: "Send request", exact: true }).click();
  await page.getByText("Paste the URL of a search").waitFor();
  await page.getByLabel("URL or curl command").fill(`${app.sources}/failing/500?q=river`);
  await page.getByRole("button", { name: "Send request", exact: true }).click();
  const message = page.locator("#step-1 .field-error").filter({ hasText: /\w/ }).first();
  await message.waitFor();
});

browse("a key in the request is taken over, without advice for programs", {}, async (page) => {
  await page.goto("/admin/doctor/");
  await page.getByLabel("URL or curl command").fill(`${app.sources}/plain/library?q=river&api_key=canary-7`);
  await page.getByRole("button", { name: "Send request", exact: true }).click();
  await page.getByText("Taken from your request.").waitFor();
  assert.equal(await page.getByLabel("API key").inputValue(), "canary-7");
  assert.doesNotMatch(await page.locator("#step-3").innerText(), /YOUR_|set active/);
});

browse("another value is assigned by a click in the response", {}, async (page) => {
  await page.goto("/admin/doctor/");
  await page.getByLabel("URL or curl command").fill(`${app.sources}/plain/library?q=river`);
  await page.getByRole("button", { name: "Send request", exact: true }).click();
  await page.getByRole("button", { name: "Choose Author" }).click();
  await page.locator(".tree button.leaf").filter({ hasText: "collection" }).first().click();
  assert.match(await page.getByLabel("Path for Author").inputValue(), /extra\.collection/);
  await page.getByText("library collection 0").first().waitFor();
});

browse("a sample response is enough", {}, async (page) => {
  await page.goto("/admin/doctor/");
  await page.getByText("Paste a sample response").click();
  const sample = { hits: [{ headline: "A flood", link: "https://a.example/1", text: "Water" }, { headline: "A drought", link: "https://a.example/2", text: "None" }] };
  await page.getByLabel("Sample response").fill(JSON.stringify(sample));
  await page.getByRole("button", { name: "Send request", exact: true }).click();
  assert.match(await page.getByLabel("Path for Title").inputValue(), /headline/);
});
