// The account page: profile, password, tokens, connections, and ranking preferences.

import assert from "node:assert/strict";
import { api, browse, app, createUser } from "./harness/app.mjs";
import { assertAccessible, axe } from "./harness/axe.mjs";
import { runSearch, createSource, uniqueName } from "./harness/records.mjs";

const section = (page, id) => page.locator(`section#${id}`);

async function openAccount(page) {
  await page.goto("/account/");
  await page.locator("section .fill:not([aria-busy]) > *").nth(3).waitFor();
}

let me;
const newUser = async () => (me = await createUser());

browse("the profile is changed", { who: newUser }, async (page) => {
  await openAccount(page);
  const profile = section(page, "profile");
  await profile.getByText(me.name).waitFor();
  await profile.getByLabel("Email").fill("reader@people.example");
  await profile.getByRole("button", { name: "Save" }).click();
  await page.getByText("Profile saved").waitFor();
  assert.equal((await api("GET", `/svc/users/${me.id}/`)).email, "reader@people.example");
});

browse("the password is changed only with the current one", { who: newUser }, async (page) => {
  await openAccount(page);
  const password = section(page, "password");
  const change = async (current, fresh, again = fresh) => {
    await password.getByLabel("Current password").fill(current);
    await password.getByLabel("New password", { exact: true }).fill(fresh);
    await password.getByLabel("Confirm new password").fill(again);
    await password.getByRole("button", { name: "Change password" }).click();
  };
  await change(me.password, "a new sentence", "another one");
  await password.getByText("The passwords do not match.").waitFor();
  await change("not the right one", "a new sentence");
  await password.locator(".field-error").filter({ hasText: /\w/ }).waitFor();
  await change(me.password, "a new sentence");
  await page.getByText("Password changed").waitFor();
  await api("GET", "/svc/search/", undefined, { as: { name: me.name, password: "a new sentence" } });
  await api("GET", "/svc/search/", undefined, { as: me, expect: 401 });
});

browse("a token is shown once, works, and is revoked", { who: newUser }, async (page) => {
  await openAccount(page);
  const tokens = section(page, "tokens");
  await tokens.getByLabel("Description").fill("<img src=x onerror=\"window.canary=1\"> report");
  await tokens.getByRole("button", { name: "Create token" }).click();
  const secret = await tokens.locator("code.secret").innerText();
  const request = () => fetch(`${app.base}/svc/search/`, { headers: { authorization: `Token ${secret}` } });
  assert.equal((await request()).status, 200);
  await tokens.getByRole("button", { name: "Done" }).click();
  await page.reload();
  await tokens.getByText("report").first().waitFor();
  assert.ok(!(await page.content()).includes(secret));
  await tokens.getByRole("button", { name: /^Revoke (?!all)/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await tokens.getByText("No tokens yet.").waitFor();
  assert.equal((await request()).status, 401);
});

browse("connections are listed with their sources", { who: newUser, init: axe() }, async (page) => {
  const idp = uniqueName("hub");
  const made = await api("POST", "/svc/authenticators/", {
    idp, name: `Hub <script>window.canary=1</script> ${idp}`, client_id: "c", active: true,
    auth_uri: "https://hub.example/a", token_uri: "https://hub.example/t",
  });
  const needing = await createSource("/plain/needing", { name: uniqueName("Needing"), authenticator: idp });
  await openAccount(page);
  await section(page, "connections").getByText(idp).first().waitFor();
  await section(page, "connections").getByText("not connected").first().waitFor();
  await assertAccessible(page, "connections");
  assert.match(await section(page, "connections").innerText(), new RegExp(needing.name));
  await api("DELETE", `/svc/searchproviders/${needing.id}/`);
  await api("DELETE", `/svc/authenticators/${made.id ?? idp}/`);
});

browse("preferences change only the user's own lists", { who: newUser }, async (page) => {
  const search = await runSearch("flood warning", { as: me });
  const results = async () => (await api("GET", `/svc/results/?search_id=${search.id}`, undefined, { as: me })).results;
  const order = async () => (await results()).map((result) => result.searchprovider);
  const before = await order();
  const raised = before.find((name) => name !== before[0]);
  await openAccount(page);
  const ranking = section(page, "ranking");
  const preference = ranking.getByRole("group", { name: `Preference for ${raised}` });
  await ranking.getByLabel("Source", { exact: true }).selectOption({ label: raised });
  await ranking.getByRole("form", { name: "Source preference" }).getByLabel("Preference").selectOption("raise");
  await ranking.getByRole("button", { name: "Add source" }).click();
  await preference.waitFor();
  assert.equal((await order())[0], raised, "the raised source is first");
  assert.ok((await results())[0].explain.personal, "and the result explains why");

  await preference.getByRole("button", { name: "Block" }).click();
  await preference.getByRole("button", { name: "Block", pressed: true }).waitFor();
  const fresh = await runSearch("flood warning", { as: me });
  const providers = (await api("GET", `/svc/results/?search_id=${fresh.id}`, undefined, { as: me })).results.map((result) => result.searchprovider);
  assert.ok(providers.length && !providers.includes(raised), "the blocked source is not queried");

  const host = new URL((await results()).find((result) => result.searchprovider !== raised).url).hostname;
  await ranking.getByLabel("Domain", { exact: true }).fill(`https://www.${host}/some/path`);
  await ranking.getByRole("form", { name: "Domain preference" }).getByLabel("Preference").selectOption("block");
  await ranking.getByRole("button", { name: "Add domain" }).click();
  await ranking.getByText(host, { exact: true }).waitFor();
  assert.ok((await results()).every((result) => new URL(result.url).hostname !== host), "results of the blocked domain are hidden");

  for (let left = 2; left > 0; left--) {
    await ranking.getByRole("button", { name: /^Remove the preference/ }).first().click();
    await page.waitForFunction((count) => document.querySelectorAll("#ranking [role=group]").length < count, left);
  }
  await ranking.getByText("No preferences yet.").waitFor();
  assert.deepEqual(await order(), before);
});

browse("dates have the format of the lists, whatever the locale of the browser is", { who: () => createUser(), language: "en-US" }, async (page) => {
  await page.goto("/account/");
  const since = page.locator("#profile .facts dt", { hasText: "Member since" }).locator("+ dd");
  assert.match(await since.innerText(), /^\d{1,2} [A-Z][a-z]+ \d{4}$/);
});
