// An administrator who has never read the manual adds a JSON API as a source with the doctor's page alone.

import assert from "node:assert/strict";
import { api, browse, app, measured } from "./harness/app.mjs";
import { unique } from "./harness/records.mjs";

/** A person takes about so long for each; with them the script says how long a person would be. */
const PERSON = { page: 5, click: 3, field: 8 };
const SECONDS_MAX = 120;

/** Counts what a person does. */
function hands() {
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
  const name = unique("Doctor");
  const { count, click, fill } = hands();
  const started = Date.now();
  await page.goto("/admin/");
  await click(page.getByRole("link", { name: "Add a source" }).first());
  await fill(page.getByLabel("URL or curl command"), `${app.sources}/plain/library?q=river`);
  assert.equal(await page.getByLabel("Query in this request").inputValue(), "river", "the word is found by itself");
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
  const seconds = PERSON.page * 2 + PERSON.click * count.clicks + PERSON.field * count.fields;
  measured(`a source by the doctor: ${count.clicks} clicks, ${count.fields} fields, ${((Date.now() - started) / 1000).toFixed(1)} s by script, about ${seconds} s by hand`);
  assert.ok(seconds < SECONDS_MAX);

  await click(page.getByRole("link", { name: "Try a search" }));
  await page.getByText("river of library, part 1", { exact: false }).first().waitFor();
  const found = (await api("GET", "/svc/searchproviders/")).find((one) => one.name === name);
  await api("DELETE", `/svc/searchproviders/${found.id}/`);
});

browse("what cannot be asked is said beside its field", {}, async (page) => {
  await page.goto("/admin/doctor/");
  await page.getByRole("button", { name: "Send request", exact: true }).click();
  await page.getByText("Paste the URL of a search").waitFor();
  await page.getByLabel("URL or curl command").fill(`${app.sources}/failing/500?q=river`);
  await page.getByRole("button", { name: "Send request", exact: true }).click();
  const said = page.locator("#step-1 .mistake").filter({ hasText: /\w/ }).first();
  await said.waitFor();
});

browse("another value is chosen by a click in the answer", {}, async (page) => {
  await page.goto("/admin/doctor/");
  await page.getByLabel("URL or curl command").fill(`${app.sources}/plain/library?q=river`);
  await page.getByRole("button", { name: "Send request", exact: true }).click();
  await page.getByRole("button", { name: "Choose Author" }).click();
  await page.locator(".tree button.leaf").filter({ hasText: "collection" }).first().click();
  assert.match(await page.getByLabel("Path for Author").inputValue(), /extra\.collection/);
  await page.getByText("library collection 0").first().waitFor();
});

browse("a sample answer is enough", {}, async (page) => {
  await page.goto("/admin/doctor/");
  await page.getByText("Paste a sample response").click();
  const sample = { hits: [{ headline: "A flood", link: "https://a.example/1", text: "Water" }, { headline: "A drought", link: "https://a.example/2", text: "None" }] };
  await page.getByLabel("Sample response").fill(JSON.stringify(sample));
  await page.getByRole("button", { name: "Send request", exact: true }).click();
  assert.match(await page.getByLabel("Path for Title").inputValue(), /headline/);
});
