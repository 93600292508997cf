// The console: providers, gallery, query transforms, circuit breakers, models and prompts.

import assert from "node:assert/strict";
import { api, browse, app } from "./harness/app.mjs";
import { axe } from "./harness/axe.mjs";
import { checkThemes } from "./harness/page_checks.mjs";
import { visit } from "./harness/pages/console.mjs";
import { runSearch, createSource, uniqueName } from "./harness/records.mjs";

const field = (page, name) => page.locator(`#field-${name}`);
const row = (page, name) => page.locator("#work tbody tr").filter({ hasText: name });

browse("a provider is switched in the list, and found by text and by filters", {}, async (page) => {
  const provider = await createSource("/plain/switched", { name: uniqueName("Switched"), tags: ["quayside"] });
  await visit(page, "/admin/searchproviders/");
  await page.getByRole("searchbox", { name: /^Search Sources/ }).fill(provider.name);
  await row(page, provider.name).waitFor();
  await page.waitForFunction(() => document.querySelectorAll("#work tbody tr").length === 1);
  assert.equal(await row(page, provider.name).locator(".face").innerText(), `S${/\d{1,2}/.exec(provider.name)[0]}`);
  const active = page.getByRole("switch", { name: `${provider.name}: Active` });
  assert.equal(await active.isChecked(), true);
  await Promise.all([page.waitForResponse((one) => one.request().method() === "PATCH"), active.click()]);
  assert.equal((await api("GET", `/svc/searchproviders/${provider.id}/`)).active, false);
  assert.match(page.url(), /text=/, "the URL has the state of the list");
  await page.goto("/admin/searchproviders/?tag=quayside");
  await row(page, provider.name).waitFor();
  await page.getByLabel("Active", { exact: true }).selectOption("true");
  await row(page, provider.name).waitFor({ state: "detached" });
  await api("DELETE", `/svc/searchproviders/${provider.id}/`);
});

browse("a form shows help and errors at its fields", {}, async (page) => {
  const provider = await createSource("/plain/form", { name: uniqueName("Form") });
  await visit(page, `/admin/searchproviders/${provider.id}/`);
  const name = field(page, "name");
  assert.equal(await name.inputValue(), provider.name);
  const described = await name.getAttribute("aria-describedby");
  assert.ok((await page.locator(`#${described.split(" ")[0]}`).innerText()).length > 10, "the field has help");
  await name.fill("Library - Riverbend");
  await page.getByText("Unsaved changes").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator("[aria-invalid=true]").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-invalid")), "true", "the field has the focus");
  const fresh = uniqueName("Renamed");
  await name.fill(fresh);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.").waitFor();
  assert.equal((await api("GET", `/svc/searchproviders/${provider.id}/`)).name, fresh);
  assert.equal(await page.locator("[aria-invalid=true]").count(), 0);

  await page.locator("#test-query").fill("river");
  await page.getByRole("button", { name: "Run test", exact: true }).click();
  await page.locator(".test-result").getByText("works").waitFor();
  const result = page.locator(".test-result .result-preview-title");
  assert.ok((await result.locator("mark").count()) > 0, "matches are marked");
  assert.doesNotMatch(await result.innerText(), /<\/?em>/);

  await page.getByRole("button", { name: "Save as new" }).click();
  await page.waitForURL((url) => /\/admin\/searchproviders\/\d+\/$/.test(url.pathname) && !url.pathname.includes(`/${provider.id}/`));
  await page.locator("h1, h2").filter({ hasText: `${fresh} copy` }).first().waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL("**/admin/searchproviders/");
  await page.getByText("was deleted").waitFor();
  await api("DELETE", `/svc/searchproviders/${provider.id}/`);
});

browse("a form reports that somebody else has changed the record, keeps the input, and reloads", {}, async (page) => {
  const provider = await createSource("/plain/together", { name: uniqueName("Together") });
  const path = `/svc/searchproviders/${provider.id}/`;
  await visit(page, `/admin/searchproviders/${provider.id}/`);
  await field(page, "description").fill("mine");
  await api("PATCH", path, { description: "theirs" });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Someone else has changed this in the meantime.").waitFor();
  assert.equal((await api("GET", path)).description, "theirs", "nothing was overwritten");
  assert.equal(await field(page, "description").inputValue(), "mine");
  await page.getByRole("button", { name: "Reload" }).click();
  await page.waitForFunction(() => document.querySelector("#field-description")?.value === "theirs");
  await field(page, "description").fill("mine");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.").waitFor();
  assert.equal((await api("GET", path)).description, "mine");
  await api("DELETE", path);
});

browse("adding a source begins with the guided way", {}, async (page) => {
  await visit(page, "/admin/searchproviders/");
  assert.equal(await page.locator(".list-head a.go").getAttribute("href"), "/admin/doctor/");
  await page.getByRole("link", { name: "Expert form" }).click();
  await page.waitForURL("**/admin/searchproviders/new/");
  assert.equal(await page.locator("h1").innerText(), "New source");
});

browse("providers are created from pasted JSON; errors are shown by record", {}, async (page) => {
  await visit(page, "/admin/searchproviders/");
  await page.getByRole("button", { name: "Paste JSON" }).click();
  const dialog = page.getByRole("dialog");
  const box = dialog.getByLabel("Sources as JSON");
  await box.fill("{not json");
  await dialog.getByRole("button", { name: "Create", exact: true }).click();
  await dialog.getByText("This is not valid JSON").waitFor();
  const [good, bad] = [uniqueName("Pasted"), uniqueName("Wrong")];
  const record = { connector: "RequestsGet", url: `${app.sources}/plain/pasted`, response_mappings: "RESULTS=items", active: false, default: false };
  await box.fill(JSON.stringify([{ name: good, ...record, colour: "red" }, { name: bad, ...record, connector: "NoSuchConnector" }]));
  await dialog.getByRole("button", { name: "Create", exact: true }).click();
  await dialog.getByText("Nothing has been created yet.").waitFor();
  await dialog.locator(".error-list").getByText(bad).waitFor();
  await dialog.getByText("unknown fields were ignored: colour").waitFor();
  await dialog.getByRole("button", { name: "Create the valid one" }).click();
  await dialog.getByRole("link", { name: good }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  const found = (await api("GET", "/svc/searchproviders/")).filter((one) => [good, bad].includes(one.name));
  assert.deepEqual(found.map((one) => one.name), [good]);
  await api("DELETE", `/svc/searchproviders/${found[0].id}/`);
});

browse("a ready-made source is found and saved", {}, async (page) => {
  await visit(page, "/admin/gallery/");
  assert.ok((await page.locator("ul.ready > li").count()) > 50);
  assert.doesNotMatch(await page.locator("ul.ready").innerText(), /`/, "code is shown as code");
  await page.getByRole("searchbox").fill("open library");
  const entry = page.locator("ul.ready > li").filter({ hasText: "Open Library" }).first();
  await entry.getByRole("button", { name: /^Use/ }).click();
  const dialog = page.getByRole("dialog");
  const name = uniqueName("Ready");
  await dialog.getByLabel("Name", { exact: true }).fill(name);
  await dialog.getByRole("switch", { name: "Active" }).uncheck();
  await dialog.getByRole("switch", { name: "Include in every search" }).uncheck();
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.locator(".done-line").filter({ hasText: name }).waitFor();
  const found = (await api("GET", "/svc/searchproviders/")).find((one) => one.name === name);
  assert.equal(found.active, false);
  await api("DELETE", `/svc/searchproviders/${found.id}/`);
});

browse("rules are loaded from a CSV file, previewed on a query, and saved", {}, async (page) => {
  const name = uniqueName("rivers");
  await visit(page, "/admin/querytransforms/new/");
  await page.getByLabel("Load rules from a CSV file").setInputFiles({ name: `${name}.csv`, mimeType: "text/csv", buffer: Buffer.from("# words\nriver,stream\nlake,pond\n") });
  await page.locator("select").filter({ hasText: "synonym" }).first().selectOption("synonym");
  await page.locator("#test-query").fill("river");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.locator(".becomes").waitFor();
  assert.match(await page.locator(".becomes").innerText(), /stream/);
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByText("was created").waitFor();
  const found = (await api("GET", "/svc/querytransforms/")).find((one) => one.name === name);
  assert.equal(found.qrx_type, "synonym");
  await api("DELETE", `/svc/querytransforms/${found.id}/`);
});

browse("rules are uploaded inside of the console", { init: axe() }, async (page) => {
  const name = uniqueName("fords");
  await page.goto("/admin/querytransforms/");
  await page.getByRole("link", { name: "Upload a CSV file" }).click();
  await page.locator("nav.tabs a[aria-current=page]", { hasText: "Query transforms" }).waitFor();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Type").selectOption("synonym");
  await page.getByLabel("CSV file").setInputFiles({ name: "rules.csv", mimeType: "text/csv", buffer: Buffer.from("ford,crossing\n") });
  await page.getByLabel("Try it on a query").fill("ford");
  await page.getByRole("button", { name: "Upload" }).click();
  await page.getByText("Saved with 1 rule.").waitFor();
  await checkThemes(page, "the upload of query transforms");
  await page.getByRole("link", { name: `${name}.synonym` }).click();
  await page.waitForURL(/\/admin\/querytransforms\/\d+\/$/);
  const found = (await api("GET", "/svc/querytransforms/")).find((one) => one.name === name);
  await api("DELETE", `/svc/querytransforms/${found.id}/`);
});

browse("a paused source is resumed at once", {}, async (page) => {
  const busy = await createSource("/busy?after=300", { name: uniqueName("Paused") });
  await runSearch("weir", { sources: [busy] });
  await visit(page, "/admin/breakers/");
  await page.getByRole("button", { name: "Paused", exact: true }).click();
  await row(page, busy.name).getByText("paused", { exact: true }).waitFor();
  await row(page, busy.name).getByRole("button", { name: /Resume now/ }).click();
  await row(page, busy.name).waitFor({ state: "detached" });
  await api("DELETE", `/svc/searchproviders/${busy.id}/`);
});

browse("a model is created without showing its key, and a standard prompt is copied", {}, async (page) => {
  const name = uniqueName("Model");
  await visit(page, "/admin/aiproviders/new/");
  await field(page, "name").fill(name);
  await field(page, "model").fill("gpt-5");
  const key = page.locator("input[type=password]").first();
  await key.fill("sk-canary-secret");
  const active = page.getByRole("switch", { name: "Active" });
  await active.check();
  await key.fill("");
  await page.getByText("will probably refuse every request").waitFor();
  await key.fill("sk-canary-secret");
  await page.getByText("will probably refuse every request").waitFor({ state: "detached" });
  await active.uncheck();
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByText("was created").waitFor();
  await page.reload();
  await field(page, "name").waitFor();
  assert.ok(!(await page.content()).includes("sk-canary-secret"));
  const values = await page.locator("input").evaluateAll((all) => all.map((one) => one.value));
  assert.ok(!values.includes("sk-canary-secret"));
  const found = (await api("GET", "/svc/aiproviders/")).find((one) => one.name === name);
  assert.equal(found.api_key_set, true);
  await api("DELETE", `/svc/aiproviders/${found.id}/`);

  await visit(page, "/admin/prompts/");
  await row(page, "search_rag_standard").getByText("Summarizes a search").waitFor();
  const standard = (await api("GET", "/svc/prompts/")).find((one) => one.standard);
  await page.goto(`/admin/prompts/${standard.id}/`);
  await page.getByText("This is a standard prompt and cannot be changed.").waitFor();
  await page.getByRole("button", { name: "Save as new" }).click();
  await page.getByText("was created").waitFor();
  const copy = (await api("GET", "/svc/prompts/")).find((one) => !one.standard && one.name.startsWith(standard.name));
  assert.ok(copy);
  await api("DELETE", `/svc/prompts/${copy.id}/`);
});
