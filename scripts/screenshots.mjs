// Takes the screenshots. Adds two sources to those of the demo, to show failures: a slow one and a rate-limited one.
//
//   node scripts/screenshots.mjs PROGRAM FOLDER [PAGE…]

import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { createServer } from "node:http";
import { startDemo } from "../tests/browser/harness/demo.mjs";
import { chromium } from "../tests/browser/harness/playwright.mjs";

const [program, folder, ...wanted] = process.argv.slice(2);
const BYTES_MAX = 150_000;
const LOOKS = {
  light: { colorScheme: "light", viewport: { width: 1180, height: 780 } },
  dark: { colorScheme: "dark", viewport: { width: 1180, height: 780 } },
  phone: { colorScheme: "light", viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true },
};
/** A query that finds a document in four versions. */
const VERSIONS = "gauge hosting agreement";
const QUERIES = ["flood warning", "battery life", "sediment", "gauge", "river level", "pump", "telemetry", "dam", "salmon", "float switch"];

/** The results of the weather service for every query. */
const BULLETINS = [
  ["Heavy rain over the upper Wenna until Thursday", "Up to 40 mm in six hours. A flood warning may follow for the valley below the weir.", "2026-11-12"],
  ["Thaw sets in above 900 metres", "Snow melts by day; rivers rise slowly and battery stations should be checked for ice.", "2026-11-09"],
  ["Dry and cold for the week", "Low water in all rivers. Gauges may read below their floor.", "2026-11-02"],
];

const others = createServer((request, response) => {
  const send = (status, body, headers = {}) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
  if (request.url.startsWith("/patents")) return send(429, {}, { "retry-after": "900" });
  const items = BULLETINS.map(([title, body, date], place) => ({ title, body, date, author: "Weather service", url: `https://weather.example/bulletins/${place + 1}` }));
  setTimeout(() => send(200, { total: items.length, items }), 420);
});
await new Promise((ready) => others.listen(0, "127.0.0.1", ready));
const elsewhere = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (others.address()).port}`;
const demo = await startDemo(program);
const browser = await chromium.launch({ executablePath: process.env.SVC_TEST_CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
const authorization = `Basic ${btoa(`admin:${demo.password}`)}`;

async function api(method, path, body) {
  const answer = await fetch(demo.base + path, {
    method,
    headers: { authorization, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.status === 204 ? null : answer.json();
}

const provider = (name, path, more = {}) =>
  api("POST", "/svc/searchproviders/", {
    name,
    connector: "RequestsGet",
    url: `${elsewhere}${path}`,
    query_template: "{url}?q={query_string}",
    response_mappings: "FOUND=total,RESULTS=items",
    result_mappings: "title=title,body=body,url=url,author=author,date_published=date,NO_PAYLOAD",
    ...more,
  });

/** Searches of a working day, so that the dashboard has data. */
async function useIt() {
  await provider("Weather service", "/weather", { tags: ["news"] });
  const ask = (query) => api("GET", `/svc/search/?qs=${encodeURIComponent(query)}`);
  for (let round = 0; round < 3; round++) for (const query of QUERIES) await ask(query);
  await provider("Patents - Riverbend", "/patents", { tags: ["documents"] });
  for (const query of QUERIES.slice(0, 4)) await ask(query);
}

const settled = (page) => page.waitForLoadState("networkidle");

async function list(page) {
  await page.goto(`${demo.base}/`);
  await page.getByRole("searchbox").first().fill("flood warning");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("article.result") && !document.querySelector(".src.asking"));
  await settled(page);
  const better = page.getByRole("button", { name: /Show \d+ better results?/ });
  if (await better.isVisible()) await better.click();
  await page.evaluate(() => {
    /** @type {HTMLElement} */ (document.activeElement).blur();
    scrollTo(0, 0);
  });
}

const PAGES = {
  search: list,
  async answer(page) {
    await list(page);
    await page.locator("#answer-slot [data-ask]").click();
    await page.locator("#answer-slot section.answer.done").waitFor();
    await page.locator("#answer-slot section.answer.done").evaluate((element) => scrollTo(0, element.getBoundingClientRect().top + scrollY - (innerWidth < 600 ? 190 : 150)));
    if (page.viewportSize().width > 600) await page.locator("#answer-slot .cite[data-cite]").last().hover();
  },
  async details(page) {
    await list(page);
    const first = page.locator("article.result").first();
    for (const name of ["why", "details"]) await first.locator(`details.${name} summary`).click();
    await first.evaluate((element) => scrollTo(0, element.getBoundingClientRect().top + scrollY - 90));
  },
  async versions(page) {
    const { id } = await api("POST", "/svc/search/", { query_string: VERSIONS });
    while (!/READY$/.test((await api("GET", `/svc/search/${id}/`)).status)) await new Promise((done) => setTimeout(done, 50));
    await page.goto(`${demo.base}/?search_id=${id}`);
    await page.locator(".versions > summary").first().click();
    await settled(page);
    await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
    if (page.viewportSize().width < 600) await page.locator("article.result").first().evaluate((element) => scrollTo(0, element.getBoundingClientRect().top + scrollY - 120));
  },
  async election(page) {
    const { results } = await api("GET", `/svc/canonical/?status=open&query=${encodeURIComponent(VERSIONS)}`);
    await page.goto(`${demo.base}/review/${results[0].run_id}/`);
    await page.locator(".text-diff .plus").waitFor();
    await settled(page);
    await page.locator(".sides").evaluate((element) => scrollTo(0, element.getBoundingClientRect().top + scrollY - 150));
  },
  async dashboard(page) {
    await page.goto(`${demo.base}/admin/`);
    await page.locator(".tiles > *").nth(3).waitFor();
    await settled(page);
  },
  async "provider-form"(page) {
    const found = (await api("GET", "/svc/searchproviders/")).find((one) => one.name.startsWith("Tickets"));
    await page.goto(`${demo.base}/admin/searchproviders/${found.id}/`);
    await page.locator(".form-field").first().waitFor();
    await settled(page);
  },
  async doctor(page) {
    const tickets = (await api("GET", "/svc/searchproviders/")).find((one) => one.name.startsWith("Tickets"));
    await page.goto(`${demo.base}/admin/doctor/`);
    await page.getByLabel("URL or curl command").fill(`${tickets.url}?count=20&q=battery`);
    await page.getByRole("button", { name: "Send request", exact: true }).click();
    await page.locator(".map-field").first().waitFor();
    await settled(page);
    await page.evaluate(() => scrollTo(0, 0));
  },
};

async function signedIn(look) {
  const context = await browser.newContext({ ...look, deviceScaleFactor: 1, reducedMotion: "reduce", locale: "en-GB" });
  const form = await context.request.get(`${demo.base}/login/`);
  const csrf_token = /name="csrf_token" value="([^"]*)"/.exec(await form.text())[1];
  await context.request.post(`${demo.base}/login/`, { form: { csrf_token, username: "admin", password: demo.password, next: "/" } });
  return context;
}

let tooLarge = 0;
try {
  await useIt();
  for (const [look, options] of Object.entries(LOOKS)) {
    const context = await signedIn(options);
    for (const [name, open] of Object.entries(PAGES)) {
      if (wanted.length && !wanted.includes(name)) continue;
      const page = await context.newPage();
      await open(page);
      const path = `${folder}/${name}-${look}.png`;
      await page.screenshot({ path, animations: "disabled", caret: "hide" });
      // 256 colors are enough for pages; without the program the files are larger.
      spawnSync("pngquant", ["--force", "--ext", ".png", "--strip", "--speed", "1", path]);
      const { size } = statSync(path);
      if (size > BYTES_MAX) tooLarge++;
      console.log(`${path} ${(size / 1000).toFixed(0)} kB${size > BYTES_MAX ? ", too large" : ""}`);
      await page.close();
    }
    await context.close();
  }
} finally {
  await browser.close();
  others.close();
  await demo.stop();
}
process.exit(tooLarge ? 1 : 0);
