// The list of providers with a thousand of them, compared with ten, on its own program.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./harness/demo.mjs";
import { app, reportMeasurement, openPage, signInAt } from "./harness/app.mjs";
import { median } from "./harness/median.mjs";

const FEW = 10;
const MANY = 1000;
const BATCH = 100;
const TRIES = 5;
/** Maximum slowdown with a hundred times as many providers. */
const RATIO_MAX = 4;
const ROWS_MAX = 100;

let demo;
before(async () => (demo = await startDemo(app.program)));
after(() => demo.stop());

async function createUpTo(count) {
  const authorization = `Basic ${btoa(`admin:${demo.password}`)}`;
  const headers = { authorization, "content-type": "application/json" };
  const listed = async () => (await (await fetch(`${demo.base}/svc/searchproviders/`, { headers })).json()).length;
  for (let number = await listed(); number < count; ) {
    const specs = Array.from({ length: Math.min(BATCH, count - number) }, () => ({
      name: `Provider ${String(++number).padStart(4, "0")}`,
      url: `https://p${number}.example/search`,
      response_mappings: "RESULTS=items",
      tags: [`team-${number % 7}`],
      active: false,
      default: false,
    }));
    const answer = await fetch(`${demo.base}/svc/searchproviders/`, { method: "POST", headers, body: JSON.stringify(specs) });
    assert.equal(answer.status, 201, await answer.text());
  }
}

async function medianTime(action) {
  const times = [];
  for (let round = 0; round < TRIES; round++) {
    const started = performance.now();
    await action(round);
    times.push(performance.now() - started);
  }
  return median(times);
}

const rows = (page) => page.locator("#work tbody tr, #work li.record");

async function measure(page, wanted) {
  const load = await medianTime(async () => {
    await page.goto(`${demo.base}/admin/searchproviders/`);
    await rows(page).first().waitFor();
  });
  const shown = await rows(page).count();
  const filter = page.locator("#work input[type=search]").first();
  const filtering = await medianTime(async (round) => {
    await filter.fill(round % 2 ? "Library" : wanted);
    await page.waitForFunction((text) => {
      const all = [...document.querySelectorAll("#work tbody tr, #work li.record")];
      return all.length === 1 && all[0].textContent.includes(text);
    }, round % 2 ? "Library" : wanted);
  });
  return { load, filtering, shown };
}

test("many_providers: a list of a thousand stays usable", { timeout: 240_000 }, async () => {
  const { context, page } = await openPage({ who: null });
  try {
    await signInAt(context, demo.base, { name: "admin", password: demo.password });
    await createUpTo(FEW);
    const few = await measure(page, "Provider 0010");
    await createUpTo(MANY);
    const many = await measure(page, "Provider 0777");
    for (const [what, name] of [["load", "opening the list"], ["filtering", "filtering it"]]) {
      const ratio = many[what] / few[what];
      reportMeasurement(`${name} with ${MANY} providers: ${many[what].toFixed(0)} ms, with ${FEW}: ${few[what].toFixed(0)} ms, ratio ${ratio.toFixed(2)}`);
      assert.ok(ratio < RATIO_MAX, `${name}: ratio ${ratio}`);
    }
    reportMeasurement(`rows shown of ${MANY} providers: ${many.shown}`);
    assert.ok(many.shown >= FEW && many.shown <= ROWS_MAX, `${many.shown} rows`);
  } finally {
    await context.close();
  }
});
