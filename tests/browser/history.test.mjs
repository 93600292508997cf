// The history: recent, saved and subscribed searches, new results, and differences between two runs.

import assert from "node:assert/strict";
import { api, browse, app, createUser } from "./harness/app.mjs";
import { PHONE } from "./harness/narrow.mjs";
import { openListMenu } from "./harness/pages/search.mjs";
import { runSearch, createSource, uniqueName, waitForSearch } from "./harness/records.mjs";

let me;
const newUser = async () => (me = await createUser());
const row = (page, query) => page.locator(".search-row").filter({ hasText: query });

browse("searches are listed, filtered, opened and deleted", { who: newUser }, async (page) => {
  await runSearch("flood warning", { as: me });
  await runSearch("battery life", { as: me });
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

browse("equal searches are one line, and those of the Assistant are hidden at first", { who: newUser }, async (page) => {
  for (const query of ["flood warning", "battery life", "Flood warning"]) await runSearch(query, { as: me });
  const { id } = await api("POST", "/svc/search/", { query_string: "sediment", tags: ["chat"] }, { as: me });
  await waitForSearch(id, me);
  await page.goto("/history/");
  await row(page, /flood warning/i).waitFor();
  assert.equal(await page.locator(".search-row").count(), 2);
  await page.getByRole("button", { name: "1 earlier" }).click();
  await page.getByRole("button", { name: "1 earlier", expanded: true }).waitFor();
  assert.equal(await page.locator(".search-row").count(), 3);
  await page.getByLabel("Show searches by the Assistant").check();
  await row(page, "sediment").getByText("Assistant").waitFor();
  assert.match(page.url(), /assistant=true/);
  await page.getByRole("button", { name: "1 earlier", expanded: false }).waitFor();
  await row(page, /flood warning/i).getByRole("checkbox").check();
  await page.getByText("2 selected").waitFor();
  await page.goto("/");
  assert.deepEqual(await page.locator(".recent li a").allInnerTexts(), ["Flood warning", "battery life"]);
});

browse("users do not see the searches of others", { who: newUser }, async (page) => {
  const other = await createUser();
  const otherSearch = await runSearch("secret garden", { as: other });
  await page.goto("/history/");
  await page.getByText("You have not searched yet.").waitFor();
  const answer = await page.goto(`/?search_id=${otherSearch.id}`);
  assert.equal(answer.status(), 404);
  assert.ok(!(await page.content()).includes("secret garden"));
});

browse("a row shows the number of retrieved results, which may exceed that of the list", { who: newUser }, async (page) => {
  // Both return the same four documents.
  const sources = [await createSource("/copies/one", { name: uniqueName("One") }), await createSource("/copies/other", { name: uniqueName("Other") })];
  const search = await runSearch("reservoir", { as: me, sources });
  await page.goto(`/?search_id=${search.id}`);
  await page.locator("article.result").first().waitFor();
  const listed = await page.locator("article.result").count();
  await page.goto("/history/");
  await row(page, "reservoir").getByText("8 retrieved", { exact: true }).waitFor();
  assert.ok(listed < 8, `${listed} are listed`);
});

browse("on a phone, the facts of a search have the whole width of its row", { who: newUser }, async (page) => {
  await page.setViewportSize(PHONE);
  const sources = [await createSource("/plain/weir", { name: uniqueName("Weir") }), await createSource("/failing/500", { name: uniqueName("Broken") })];
  await runSearch("tide", { as: me, sources });
  await page.goto("/history/");
  const [query, buttons, facts] = await Promise.all([".query", ".row-buttons", ".meta"].map((part) => row(page, "tide").locator(part).boundingBox()));
  assert.ok(Math.abs(query.y + query.height / 2 - (buttons.y + buttons.height / 2)) < 8, "the buttons are beside the query");
  assert.ok(facts.x + facts.width > buttons.x + buttons.width - 8, "the facts end below the buttons");
});

browse("a search is saved and subscribed with its buttons", { who: newUser }, async (page) => {
  await runSearch("sediment", { as: me });
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

browse("new results are marked, and two runs are compared", { who: newUser }, async (page) => {
  // The source returns other results in each run.
  const provider = await createSource("/plain/changing?count=3", { name: uniqueName("Changing") });
  const search = await runSearch("estuary", { as: me, sources: [provider] });
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
  await openListMenu(page);
  await page.getByRole("button", { name: /Mark .* as read/ }).click();
  await page.getByText("All results marked as read").waitFor();
  await page.goto("/history/");
  await row(page, "estuary").waitFor();
  assert.equal(await row(page, "estuary").locator(".badge").count(), 0);
});

browse("a service that does not respond is reported with a message", { who: newUser }, async (page, { problems }) => {
  await runSearch("flood warning", { as: me });
  await page.goto("/history/");
  await row(page, "flood warning").waitFor();
  await page.route("**/svc/search/**", (route) => route.abort());
  await row(page, "flood warning").getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").getByText("The service did not respond. Check your connection and try again.").waitFor();
  await page.getByRole("alert").getByRole("button", { name: "Close" }).click();
  // The browser logs the aborted request itself.
  problems.errors.splice(0);
});
