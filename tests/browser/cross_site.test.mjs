// Pages of other sites: their forms change nothing, their links start nothing without a question.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { admin, api, browse, app, person } from "./harness/app.mjs";
import { unique } from "./harness/records.mjs";

/** A page of another site. By name instead of by number, localhost is another site than the service. */
async function foreign(html) {
  const server = createServer((_, answer) => answer.writeHead(200, { "content-type": "text/html" }).end(html));
  await new Promise((done) => server.listen(0, done));
  return { base: `http://localhost:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`, stop: () => server.close() };
}

/** Opens a page of another site in a context that may go there. */
function visiting(name, options, html, body) {
  let other;
  const allowed = [];
  const who = async () => {
    other = await foreign(html());
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

const transform = unique("forged");
visiting("a form with remembered Basic credentials is refused", {}, () => `<title>Other</title>
  <form method="post" enctype="multipart/form-data" action="${app.base}/svc/query_transform_form/">
    <input name="name" value="${transform}"><input name="content_type" value="rewrite"><textarea name="config_content">a,b</textarea>
    <button>Win</button></form>`, async (page, { context }) => {
  // What Chromium does after a password was once given to its dialog: it sends it with every navigation.
  await context.setExtraHTTPHeaders({ authorization: `Basic ${btoa(`${admin.name}:${admin.password}`)}` });
  const [answer] = await Promise.all([page.waitForResponse((one) => one.url().includes("/svc/")), page.getByRole("button", { name: "Win" }).click()]);
  assert.equal(answer.status(), 403);
  assert.equal((await answer.json()).code, "csrf_failed");
  const saved = await api("GET", "/svc/querytransforms/");
  assert.ok(!JSON.stringify(saved).includes(transform));
});

const query = unique("planted");
let reader;
visiting("a link to a search asks first", { who: async () => (reader = await person()) }, () =>
  `<title>Other</title><a href="${app.base}/?q=${query}&rag=true">Read on</a>`, async (page) => {
  await page.getByRole("link", { name: "Read on" }).click();
  await page.getByRole("heading", { name: "Run this search?" }).waitFor();
  assert.deepEqual(await api("GET", "/svc/search/", undefined, { as: reader }), []);
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForURL(/search_id=/);
  const made = await api("GET", "/svc/search/", undefined, { as: reader });
  assert.equal(made[0].query_string, query);
});
