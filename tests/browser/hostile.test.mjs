// A hostile source: its texts are shown as text, in lists, details, answers, history, console and exports.

import assert from "node:assert/strict";
import { before } from "node:test";
import { isFormula, parseCsv } from "./harness/csv.mjs";
import { hostileTexts } from "./harness/hostile.mjs";
import { api, browse, check, app } from "./harness/app.mjs";
import { assertInert } from "./harness/inert.mjs";
import { PHONE, assertNarrow } from "./harness/narrow.mjs";
import { CONSOLE, waitUntilFilled, waitUntilIdle } from "./harness/pages/console.mjs";
import { runSearch, createSource } from "./harness/records.mjs";

const BAD = `<img src=x onerror="window.canary='name'">=1+1 "quoted" 'single' \${x}`;
const QUERY = `river <script>window.canary='query'</script>`;

let provider;
let search;
const records = [];

before(async () => {
  provider = await createSource("/hostile", { name: `Hostile ${BAD}`, description: BAD, tags: ["hostile", BAD.slice(0, 60)] });
  search = await runSearch(QUERY, { sources: [provider] });
  assert.ok(search.id && !/^ERR/.test(search.status), search.status);
  const add = async (path, body) => {
    const created = await api("POST", path, body);
    records.push(`${path}${[created].flat()[0].id}/`);
  };
  await add("/svc/groups/", { name: `g ${BAD}` });
  await add("/svc/prompts/", { name: "hostile-prompt", prompt: `{query} ${BAD}`, tags: ["search-rag"], active: false });
  await add("/svc/querytransforms/", { name: `t ${BAD.replaceAll(".", "")}`, config_content: `lake,${BAD.replaceAll(",", "").replaceAll('"', "")}` });
  await add("/svc/aiproviders/", { name: `a ${BAD}`, model: "gpt-5", active: false });
});

/** Markup is removed from titles and texts; the rest of it, and escaped markup, is shown as text. */
const waitForHostileTitle = (page) => page.locator("article.result h2").filter({ hasText: "window.canary='entity'" }).first().waitFor();

browse("in a list and its details", {}, async (page) => {
  const answer = await page.goto(`/?search_id=${search.id}`);
  const policy = answer.headers()["content-security-policy"];
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'self';/);
  assert.doesNotMatch(policy, /unsafe|\*|data:|blob:|https?:/);
  await waitUntilIdle(page);
  await waitForHostileTitle(page);
  await page.evaluate(() => document.querySelectorAll("article.result details").forEach((fold) => (fold.open = true)));
  await waitUntilIdle(page);
  await assertInert(page, "the list");
  const details = (await page.locator(".payload:visible").allInnerTexts()).join("\n");
  for (const text of hostileTexts(`${app.sources}/foreign`).slice(0, 3)) assert.ok(details.includes(text.split('"')[0]), `it is shown as text: ${text}`);
  const links = await page.locator("main article a[href^='http']").evaluateAll((all) => all.map((link) => [link.href, link.rel]));
  for (const [href, rel] of links) {
    if (!href.startsWith(app.base)) assert.match(rel, /noopener/, href);
  }
});

browse("while results stream", {}, async (page) => {
  await page.goto("/");
  await page.goto(`/?q=${encodeURIComponent(QUERY)}&sources=${provider.id}`);
  await waitForHostileTitle(page);
  await waitUntilIdle(page);
  await assertInert(page, "the stream");
  assert.match(await page.title(), /river <script>/);
});

browse("in a table and its chart", {}, async (page) => {
  const table = await createSource("/dataset/hostile", { result_mappings: "DATASET" });
  const figures = await runSearch("figures", { sources: [table] });
  await page.goto(`/?search_id=${figures.id}`);
  await page.locator("article.result svg [data-mark]").first().waitFor();
  await page.evaluate(() => document.querySelectorAll("article.result details").forEach((fold) => (fold.open = true)));
  await waitUntilIdle(page);
  await assertInert(page, "a chart");
});

browse("without JavaScript", { script: false }, async (page) => {
  await page.goto(`/?search_id=${search.id}`);
  await waitForHostileTitle(page);
  const links = await page.locator("a[href]").evaluateAll((all) => all.map((link) => link.protocol));
  assert.ok(links.length > 5 && links.every((scheme) => /^https?:$/.test(scheme)));
});

browse("in an answer", {}, async (page) => {
  await page.goto(`/?search_id=${search.id}`);
  await waitUntilIdle(page);
  await page.locator("#answer-slot [data-ask]").click();
  await page.locator("#answer-slot section.answer.done, #answer-slot section.answer.failed:not([hidden])").first().waitFor();
  for (const cite of await page.locator("#answer-slot .cite[data-cite]").all()) await cite.hover().catch(() => {});
  await assertInert(page, "the answer");
});

const DESKTOP = { width: 1280, height: 860 };
const PAGES = { people: ["/history/", "/account/", "/chat/", "/review/", "/egress/", "/"], console: CONSOLE };

for (const [area, paths] of Object.entries(PAGES)) {
  browse(`on every page of the ${area}`, {}, async (page) => {
    for (const path of paths) {
      await page.goto(path);
      await waitUntilIdle(page);
      await assertInert(page, path);
      await page.setViewportSize(PHONE);
      await assertNarrow(page, path);
      await page.setViewportSize(DESKTOP);
    }
  });
}

browse("in forms of the console", {}, async (page) => {
  const paths = [`/admin/searchproviders/${provider.id}/`, ...records.map((path) => path.replace("/svc/", "/admin/"))];
  for (const path of paths) {
    await page.goto(path);
    await waitUntilFilled(page);
    await waitUntilIdle(page);
    await assertInert(page, path);
  }
});

browse("in URLs from others", {}, async (page) => {
  const bad = encodeURIComponent(`"><script>window.canary='address'</script>`);
  const paths = [
    `/?search_id=${bad}`, `/?search_id=${search.id}&page=${bad}`, `/?search_id=${search.id}&sort=${bad}&author=${bad}&date=${bad}`, `/?q=x&sources=${bad}`,
    `/admin/${bad}/`, `/admin/searchproviders/${bad}/`, `/history/?show=${bad}&text=${bad}`, `/login/?next=${bad}`, `/chat/?chat=${bad}`, `/${bad}/`,
  ];
  for (const path of paths) {
    await page.goto(path);
    await waitUntilIdle(page);
    await assertInert(page, path);
  }
});

check("a name with markup is unchanged in the API", async () => {
  const read = await api("GET", `/svc/searchproviders/${provider.id}/`);
  assert.equal(read.name, `Hostile ${BAD}`);
});

const EXPORTS = { csv: /text\/csv/, json: /json/, bibtex: /bibtex|text\/plain/, rss: /xml/ };

for (const [format, type] of Object.entries(EXPORTS)) {
  browse(`in an export as ${format}`, {}, async (page, { context }) => {
    const answer = await context.request.get(`/svc/results/export/?search_id=${search.id}&format=${format}`);
    assert.equal(answer.status(), 200);
    assert.match(answer.headers()["content-type"], type);
    assert.match(answer.headers()["content-disposition"], /^attachment; filename/);
    assert.equal(answer.headers()["x-content-type-options"], "nosniff");
    const text = await answer.text();
    assert.ok(text.includes("canary"));
    if (format === "csv") {
      const rows = parseCsv(text);
      assert.ok(rows.length > 4, "the file has rows");
      assert.ok(rows.every((row) => row.length === rows[0].length), "quotes and commas do not break rows");
      assert.deepEqual(rows.flat().filter(isFormula), []);
    }
    if (format === "json") JSON.parse(text);
    if (format === "rss") {
      const read = await page.evaluate((xml) => {
        const parsed = new DOMParser().parseFromString(xml, "text/xml");
        return ["parsererror", "script", "item"].map((name) => parsed.querySelectorAll(name).length);
      }, text);
      const { info } = await api("GET", `/svc/results/?search_id=${search.id}`);
      assert.deepEqual(read, [0, 0, info.results.retrieved_total]);
      assert.doesNotMatch(text, /<link>\s*(javascript|data|vbscript):/i);
    }
    if (format === "bibtex") assert.equal(text.split("{").length, text.split("}").length, "braces are balanced");
  });
}

check("no page has sent a request to another host", async () => {
  const visits = await (await fetch(`${app.sources}/visits`)).json();
  assert.deepEqual(visits, []);
});
