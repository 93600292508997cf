// The console: users, tokens, authenticators, schedules, logs, activity, dashboard, settings, license and audit log.

import assert from "node:assert/strict";
import { api, browse, app, createUser } from "./harness/app.mjs";
import { axe } from "./harness/axe.mjs";
import { PHONE, assertNarrow, assertTablesFit } from "./harness/narrow.mjs";
import { checkThemes } from "./harness/page_checks.mjs";
import { visit } from "./harness/pages/console.mjs";
import { createSource, runSearch, uniqueName } from "./harness/records.mjs";

const field = (page, name) => page.locator(`#field-${name}`);
const row = (page, name) => page.locator("#work tbody tr").filter({ hasText: name });

browse("a user is added to a group, becomes an administrator, and is deleted", {}, async (page) => {
  const [group, name] = [uniqueName("archive"), uniqueName("paula")];
  await visit(page, "/admin/groups/new/");
  await field(page, "name").fill(group);
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByText("was created").waitFor();
  await visit(page, "/admin/users/new/");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  await field(page, "username").fill(name);
  await page.locator("input[type=password]").first().fill("a long password");
  await page.getByRole("checkbox", { name: group }).check();
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByText("was created").waitFor();
  const user = (await api("GET", "/svc/users/")).find((one) => one.username === name);
  assert.deepEqual(user.groups, [group]);
  await visit(page, "/admin/users/");
  await page.getByRole("searchbox").first().fill(name);
  await page.waitForFunction(() => document.querySelectorAll("#work tbody tr").length === 1);
  const adminSwitch = row(page, name).getByRole("switch");
  await Promise.all([page.waitForResponse((one) => one.request().method() === "PATCH"), adminSwitch.click()]);
  assert.equal((await api("GET", `/svc/users/${user.id}/`)).is_admin, true);
  await row(page, name).getByRole("link", { name }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("was deleted").waitFor();
  await api("GET", `/svc/users/${user.id}/`, undefined, { expect: 404 });
});

browse("long names and addresses of users do not push the other columns out of sight", {}, async (page) => {
  const email = `${"chiara.maria.von.der.".repeat(3)}wasserwirtschaft@example.com`;
  const user = await createUser({ name: `${uniqueName("c")}.${"x".repeat(60)}@example.com`, rights: { email } });
  await visit(page, `/admin/users/?text=${encodeURIComponent(user.name)}`);
  await row(page, user.name).waitFor();
  await assertTablesFit(page, "users");
  const address = await row(page, user.name).getByText(email).boundingBox();
  assert.ok(address.width > 140, `the address is ${address.width} pixels wide`);
  await page.setViewportSize(PHONE);
  await assertNarrow(page, "users on a phone");
  await api("DELETE", `/svc/users/${user.id}/`);
});

browse("the list of groups counts members and sources", {}, async (page) => {
  const name = uniqueName("estuary");
  const group = await api("POST", "/svc/groups/", { name });
  const source = await createSource("/plain/counted", { name: uniqueName("Counted"), shared: false, groups: [name] });
  await createUser({ rights: { groups: [name] } });
  await createUser({ rights: { groups: [name] } });
  await visit(page, "/admin/groups/");
  const cell = (label) => row(page, name).locator(`td[data-label="${label}"]`);
  await page.waitForFunction((text) => [...document.querySelectorAll("#work tbody tr")].some((one) => one.textContent.includes(text) && /2/.test(one.querySelector("td[data-label=Members]").textContent)), name);
  assert.equal(await cell("Members").innerText(), "2");
  assert.equal(await cell("Sources").innerText(), "1");
  await api("DELETE", `/svc/searchproviders/${source.id}/`);
  await api("DELETE", `/svc/groups/${group.id}/`);
});

browse("the name of a field in the API is shown while the field is used", {}, async (page) => {
  await visit(page, "/admin/users/new/");
  const name = page.locator("[data-field=email] .wire");
  assert.equal(await name.isVisible(), false);
  await field(page, "email").focus();
  assert.equal(await name.isVisible(), true);
});

browse("the form of a group has its members and sources", { init: axe() }, async (page) => {
  const [name, member] = [uniqueName("delta"), await createUser()];
  const source = await createSource("/plain/grouped", { name: uniqueName("Grouped"), shared: false });
  const group = await api("POST", "/svc/groups/", { name });
  await visit(page, `/admin/groups/${group.id}/`);
  await page.getByText("No members yet.").waitFor();
  const card = (title) => page.locator(".members").filter({ has: page.getByRole("heading", { name: title }) });
  await card("Members").getByRole("combobox", { name: "Add a member" }).fill("nobody of this name");
  await card("Members").getByRole("button", { name: "Add" }).click();
  await page.getByText("There is no such user.").waitFor();
  for (const [title, label, text] of [["Members", "Add a member", member.name], ["Sources", "Add a source", source.name]]) {
    await card(title).getByRole("combobox", { name: label }).fill(text);
    await page.keyboard.press("Enter");
    await card(title).getByRole("link", { name: text }).waitFor();
  }
  assert.deepEqual((await api("GET", `/svc/users/${member.id}/`)).groups, [name]);
  assert.deepEqual((await api("GET", `/svc/searchproviders/${source.id}/`)).groups, [name]);
  await checkThemes(page, "the form of a group");
  await card("Members").getByRole("button", { name: `Remove ${member.name}` }).click();
  await page.getByText("No members yet.").waitFor();
  assert.deepEqual((await api("GET", `/svc/users/${member.id}/`)).groups, []);
  await api("DELETE", `/svc/searchproviders/${source.id}/`);
  await api("DELETE", `/svc/groups/${group.id}/`);
});

browse("a preset fills the form of an authenticator", { init: axe() }, async (page) => {
  await visit(page, "/admin/authenticators/new/");
  await page.getByLabel("Preset").selectOption("Okta");
  await page.getByLabel("Okta domain").fill("https://river.okta.com/");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.id === "field-client_id");
  assert.equal(await field(page, "issuer").inputValue(), "https://river.okta.com");
  assert.match(await field(page, "scopes").inputValue(), /\bopenid\b.*\bgroups\b/);
  assert.match(await field(page, "idp").inputValue(), /^okta/);
  assert.equal(await field(page, "sign_in").isChecked(), true);
  await checkThemes(page, "an authenticator with a preset");
});

browse("a token is shown once and revoked", {}, async (page) => {
  const label = uniqueName("console");
  await visit(page, "/admin/tokens/new/");
  await field(page, "label").fill(label);
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const secret = await page.getByLabel("New token").inputValue();
  const request = () => fetch(`${app.base}/svc/users/`, { headers: { authorization: `Token ${secret}` } });
  assert.equal((await request()).status, 200);
  await visit(page, "/admin/tokens/");
  await row(page, label).getByRole("button", { name: /^Revoke/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await row(page, label).waitFor({ state: "detached" });
  assert.equal((await request()).status, 401);
});

browse("an authenticator is created, switched and deleted; its secret is never shown", {}, async (page) => {
  const idp = uniqueName("hub");
  await visit(page, "/admin/authenticators/new/");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  await field(page, "name").fill(`Hub ${idp}`);
  await field(page, "idp").fill(idp);
  await field(page, "client_id").fill("tributary");
  await page.locator("input[type=password]").first().fill("canary-of-the-hub");
  await page.evaluate(() => document.querySelectorAll("#work details").forEach((fold) => (fold.open = true)));
  await field(page, "auth_uri").fill("https://hub.example/authorize");
  await field(page, "token_uri").fill("https://hub.example/token");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByText("was created").waitFor();
  assert.ok(!(await page.content()).includes("canary-of-the-hub"));
  await visit(page, "/admin/authenticators/");
  const active = row(page, idp).getByRole("switch").first();
  await Promise.all([page.waitForResponse((one) => one.request().method() === "PATCH" && one.ok()), active.click()]);
  await row(page, idp).getByRole("link").first().click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("was deleted").waitFor();
});

browse("the times of a search are shown step by step", { init: axe() }, async (page) => {
  await visit(page, "/admin/timings/");
  await page.getByText("Recording since").waitFor();
  const search = await runSearch("river delta");
  await visit(page, "/admin/timings/");
  const timing = page.locator("details.timing").filter({ has: page.getByText(`Search ${search.id}`, { exact: true }) }).first();
  await timing.locator("summary").focus();
  await page.keyboard.press("Enter");
  await timing.locator("tbody td:first-child").first().waitFor();
  const lines = await timing.locator("tbody td:first-child").allInnerTexts();
  for (const step of ["Queue", "Preparation", "Sources", "Scoring", "Storing"]) assert.ok(lines.includes(step), `${step}: ${lines}`);
  assert.ok((await timing.locator(".waterfall .line-name").count()) > 5, "the steps and at least one source");
  await checkThemes(page, "the times of a search");
});

browse("each schedule and standard prompt has a description beside its name", {}, async (page) => {
  const described = {
    "/admin/schedules/": (await api("GET", "/svc/schedules/")).map((one) => one.name),
    "/admin/prompts/": (await api("GET", "/svc/prompts/")).filter((one) => one.standard).map((one) => one.name),
  };
  for (const [path, names] of Object.entries(described)) {
    assert.ok(names.length >= 5, `${path}: ${names}`);
    await visit(page, path);
    for (const name of names) {
      const text = await row(page, name).filter({ has: page.getByText(name, { exact: true }) }).locator(".row-description").innerText();
      assert.match(text, /^[A-Z].{20,}\.$/, name);
    }
  }
});

browse("a schedule is switched off and on", {}, async (page) => {
  await visit(page, "/admin/schedules/");
  await row(page, "sweep_bodies").getByText("Removes expired texts").waitFor();
  const toggle = page.getByRole("switch").first();
  const isOn = await toggle.isChecked();
  for (const wanted of [!isOn, isOn]) {
    await Promise.all([page.waitForResponse((one) => one.request().method() === "PATCH" && one.ok()), toggle.click()]);
    assert.equal(await toggle.isChecked(), wanted);
  }
});

browse("logs are read, filtered and downloaded", { init: axe() }, async (page) => {
  await visit(page, "/admin/logs/");
  await page.locator("pre.log").waitFor();
  await page.waitForFunction(() => /\d/.test(document.querySelector("pre.log").textContent));
  const shown = () => page.locator("pre.log").innerText();
  assert.doesNotMatch(await shown(), /GET \/static\/\S* answered 200/);
  await page.getByRole("switch", { name: "Requests for files" }).check();
  assert.match(await shown(), /GET \/static\/\S* answered 200/);
  const line = page.locator("pre.log > span").filter({ hasText: "answered 200" }).first();
  assert.match(await line.locator(".log-context").first().innerText(), /server::request_context: $/, "the message is set off");
  const file = page.locator("#work select").first();
  await file.selectOption("tasks-beats.log");
  await page.waitForFunction(() => !document.querySelector("pre.log").textContent.includes("answered 200"));
  await file.selectOption("django.log");
  await line.waitFor();
  await checkThemes(page, "logs");
  await page.getByLabel("Level").selectOption("ERROR");
  assert.doesNotMatch(await shown(), / INFO /);
  await page.getByLabel("Level").selectOption("");
  await page.getByLabel("Filter").fill("no line has this text");
  await page.getByText("No matching lines.").waitFor();
  await page.getByLabel("Filter").fill("");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download" }).click()]);
  assert.match(download.suggestedFilename(), /log/);
});

browse("activity counts searches without results and does not show their queries", {}, async (page) => {
  // Only alphabetic characters: a number might match.
  const query = `zzqx${uniqueName("").replace(/\d/g, (digit) => "abcdefghij"[digit]).replaceAll("-", "")}`;
  await runSearch(query, { sources: [2] });
  await visit(page, "/admin/activity/");
  await page.getByRole("heading", { name: "Searches per day" }).waitFor();
  assert.ok((await page.locator("#work svg").count()) >= 1);
  await page.getByRole("heading", { name: "Searches without results" }).waitFor();
  await page.getByText("Queries are private.").waitFor();
  await page.getByRole("button", { name: "7 days" }).click();
  await page.getByText("Queries are private.").waitFor();
  assert.ok(!(await page.content()).includes(query));
});

browse("the dashboard updates itself", {}, async (page) => {
  await visit(page, "/admin/");
  await page.locator(".tiles > *").nth(3).waitFor();
  assert.ok((await page.locator("#work svg").count()) >= 2, "the page has charts");
  const before = await page.locator(".tiles").innerText();
  await runSearch("flood warning");
  await page.waitForFunction((text) => document.querySelector(".tiles").innerText !== text, before);
});

browse("the dashboard distinguishes its own process from others", {}, async (page) => {
  await page.route("**/svc/activity/now/", async (route) => {
    const now = await (await route.fetch()).json();
    await route.fulfill({ json: { ...now, searches_today: 6, minutes: [], providers: [] } });
  });
  await visit(page, "/admin/");
  await page.getByText("This process ran no searches in the last hour.").waitFor();
});

browse("settings show their origin, but no secrets", {}, async (page) => {
  await visit(page, "/admin/settings/");
  await page.getByRole("searchbox").fill("SVC_ADMIN_PASSWORD");
  await row(page, "SVC_ADMIN_PASSWORD").getByText("environment").waitFor();
  assert.ok(!(await page.content()).includes(app.password));
  await page.getByRole("searchbox").fill("SVC_TIMEOUT");
  await row(page, "SVC_TIMEOUT").first().getByText("60").first().waitFor();
  await visit(page, "/admin/settings/?text=SVC_LOG_FILES");
  await row(page, "SVC_LOG_FILES").waitFor();
  assert.equal(await page.locator("#work tbody tr").count(), 1);
});

browse("the license page shows the license of the demo", {}, async (page) => {
  const license = await api("GET", "/svc/license/");
  assert.deepEqual([license.status, license.cache], ["valid", true]);
  await visit(page, "/admin/license/");
  await page.getByText("valid", { exact: true }).first().waitFor();
  assert.match(await page.locator("#work .facts").first().innerText(), /Semantic cache\s+(until|allowed)/);
});

browse("changes are in the audit log, which is verified", {}, async (page) => {
  const name = uniqueName("audited");
  const group = await api("POST", "/svc/groups/", { name });
  await api("DELETE", `/svc/groups/${group.id}/`);
  await visit(page, "/admin/audit/");
  await page.getByLabel("Type").selectOption("group");
  await page.locator("#work tbody tr").filter({ hasText: "deleted" }).first().waitFor();
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByText("The log is intact.").waitFor();
});

browse("a locked user is unlocked", {}, async (page) => {
  const locked = await createUser();
  for (let count = 0; count < 12; count++) {
    await fetch(`${app.base}/svc/search/`, { headers: { authorization: `Basic ${btoa(`${locked.name}:wrong`)}` } });
  }
  await visit(page, "/admin/users/");
  const line = page.locator(".lockouts li").filter({ hasText: locked.name });
  await line.getByRole("button", { name: "Unlock" }).click();
  await line.waitFor({ state: "detached" });
  await api("GET", "/svc/search/", undefined, { as: locked });
});
