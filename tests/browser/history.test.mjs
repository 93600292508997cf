// One's searches: recent, saved and subscribed ones, what is new in them, and what differs between two runs.

import assert from "node:assert/strict";
import { api, browse, app, person } from "./harness/app.mjs";
import { searched, source, unique } from "./harness/records.mjs";

let me;
const newcomer = async () => (me = await person());
const row = (page, query) => page.locator(".search-row").filter({ hasText: query });

browse("searches are listed, filtered, opened and deleted", { who: newcomer }, async (page) => {
  await searched("flood warning", { as: me });
  await searched("battery life", { as: me });
  await page.goto("/history/");
  await row(page, "flood warning").waitFor();
  assert.equal(await page.locator(".search-row").count(), 2);
  await page.getByLabel("Filter searches").fill("battery");
  await row(page, "flood warning").waitFor({ state: "detached" });
  assert.match(page.url(), /text=battery/);
  await row(page, "battery life").getByRole("link", { name: "battery life" }).first().click();
  await page.locator("article.result").first().waitFor();
  await page.goBack();
  await row(page, "battery life").getByRole("checkbox").check();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No matching searches.").waitFor();
  const left = await api("GET", "/svc/search/?search_only=true", undefined, { as: me });
  assert.equal(left.count, 1);
});

browse("nobody sees the searches of others", { who: newcomer }, async (page) => {
  const other = await person();
  const theirs = await searched("secret garden", { as: other });
  await page.goto("/history/");
  await page.getByText("You have not searched yet.").waitFor();
  const answer = await page.goto(`/?search_id=${theirs.id}`);
  assert.equal(answer.status(), 404);
  assert.ok(!(await page.content()).includes("secret garden"));
});

browse("a row counts what the sources gave, which may be more than the list has", { who: newcomer }, async (page) => {
  // Both give the same four documents.
  const sources = [await source("/copies/one", { name: unique("One") }), await source("/copies/other", { name: unique("Other") })];
  const search = await searched("reservoir", { as: me, sources });
  await page.goto(`/?search_id=${search.id}`);
  await page.locator("article.result").first().waitFor();
  const listed = await page.locator("article.result").count();
  await page.goto("/history/");
  await row(page, "reservoir").getByText("8 retrieved", { exact: true }).waitFor();
  assert.ok(listed < 8, `${listed} are listed`);
});

browse("a search is saved and subscribed by its buttons", { who: newcomer }, async (page) => {
  await searched("sediment", { as: me });
  await page.goto("/history/");
  await row(page, "sediment").getByRole("button", { name: "Save" }).click();
  await row(page, "sediment").getByRole("button", { name: "Saved", pressed: true }).waitFor();
  await row(page, "sediment").getByRole("button", { name: "Subscribe", exact: true }).click();
  await row(page, "sediment").getByRole("button", { name: "Subscribed", pressed: true }).waitFor();
  for (const show of ["Saved", "Subscribed"]) {
    await page.getByRole("navigation", { name: "Show searches" }).getByRole("link", { name: show }).click();
    await row(page, "sediment").waitFor();
  }
  await row(page, "sediment").getByRole("button", { name: "Subscribed" }).click();
  await page.getByText("No subscriptions yet.").waitFor();
});

browse("new results are marked, and two runs are compared", { who: newcomer }, async (page) => {
  // The source says something else at each run.
  const provider = await source("/plain/changing?count=3", { name: unique("Changing") });
  const search = await searched("estuary", { as: me, sources: [provider] });
  await api("PATCH", `/svc/search/${search.id}/`, { subscribe: true }, { as: me });
  await api("PATCH", `/svc/searchproviders/${provider.id}/`, { url: `${app.sources}/plain/changed?count=5`, query_template: "{url}&q={query_string}" });
  await api("GET", `/svc/search/?update=${search.id}`, undefined, { as: me });
  await page.goto("/history/");
  const line = row(page, "estuary");
  await line.getByText("5 new").waitFor();
  await line.locator("summary").click();
  await line.getByRole("button", { name: "Runs and differences" }).click();
  await line.getByLabel("New", { exact: true }).getByText("changed", { exact: false }).first().waitFor();
  await line.locator(".badge", { hasText: "5 new" }).click();
  await page.locator("article.result").first().waitFor();
  assert.equal(await page.locator("article.result").count(), 5);
  await page.getByRole("button", { name: /Mark .* as read/ }).click();
  await page.getByText("All results marked as read").waitFor();
  await page.goto("/history/");
  await row(page, "estuary").waitFor();
  assert.equal(await row(page, "estuary").locator(".badge").count(), 0);
});

browse("when the service does not answer, that is said in words", { who: newcomer }, async (page, { seen }) => {
  await searched("flood warning", { as: me });
  await page.goto("/history/");
  await row(page, "flood warning").waitFor();
  await page.route("**/svc/search/**", (route) => route.abort());
  await row(page, "flood warning").getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").getByText("The service did not respond. Check your connection and try again.").waitFor();
  await page.getByRole("alert").getByRole("button", { name: "Close" }).click();
  // The browser itself notes what was cut off.
  seen.errors.splice(0);
});
