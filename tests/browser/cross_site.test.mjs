// Requests from other sites: their forms are refused, and their links start a search only after a confirmation.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { admin, api, browse, app, createUser } from "./harness/app.mjs";
import { uniqueName } from "./harness/records.mjs";

/** Starts a page of another site: `localhost` is another site than the IP address of the service. */
async function startOtherSite(html) {
  const server = createServer((_, answer) => answer.writeHead(200, { "content-type": "text/html" }).end(html));
  await new Promise((done) => server.listen(0, done));
  return { base: `http://localhost:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`, stop: () => server.close() };
}

/** A test that begins on a page of another site. */
function testOtherSite(name, options, html, body) {
  let other;
  const allowed = [];
  const who = async () => {
    other = await startOtherSite(html());
    allowed.push(other.base);
    return options.who ? options.who() : null;
  };
  browse(name, { ...options, who, allowed }, async (page, more) => {
    try {
      await page.goto(other.base);
      await body(page, more);
    } finally {
      other.stop();
    }
  });
}

const transform = uniqueName("forged");
testOtherSite("a form with remembered Basic credentials is refused", {}, () => `<title>Other</title>
  <form method="post" enctype="multipart/form-data" action="${app.base}/svc/query_transform_form/">
    <input name="name" value="${transform}"><input name="content_type" value="rewrite"><textarea name="config_content">a,b</textarea>
    <button>Win</button></form>`, async (page, { context }) => {
  // After a user has entered a password in its dialog, Chromium sends it with every navigation.
  await context.setExtraHTTPHeaders({ authorization: `Basic ${btoa(`${admin.name}:${admin.password}`)}` });
  const [answer] = await Promise.all([page.waitForResponse((one) => one.url().includes("/svc/")), page.getByRole("button", { name: "Win" }).click()]);
  assert.equal(answer.status(), 403);
  assert.equal((await answer.json()).code, "csrf_failed");
  const saved = await api("GET", "/svc/querytransforms/");
  assert.ok(!JSON.stringify(saved).includes(transform));
});

const query = uniqueName("planted");
let user;
testOtherSite("a link to a search needs a confirmation", { who: async () => (user = await createUser()) }, () =>
  `<title>Other</title><a href="${app.base}/?q=${query}&rag=true">Read on</a>`, async (page) => {
  await page.getByRole("link", { name: "Read on" }).click();
  await page.getByRole("heading", { name: "Run this search?" }).waitFor();
  assert.deepEqual(await api("GET", "/svc/search/", undefined, { as: user }), []);
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForURL(/search_id=/);
  const searches = await api("GET", "/svc/search/", undefined, { as: user });
  assert.equal(searches[0].query_string, query);
});
