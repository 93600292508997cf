// The list of providers with a thousand of them, compared with ten, on a program of its own.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./harness/demo.mjs";
import { app, measured, open, signInAt } from "./harness/app.mjs";
import { median } from "./harness/median.mjs";

const FEW = 10;
const MANY = 1000;
const BATCH = 100;
const TRIES = 5;
/** A hundred times as many providers may take so many times as long. */
const RATIO_MAX = 4;
const ROWS_MAX = 100;

let demo;
before(async () => (demo = await startDemo(app.program)));
after(() => demo.stop());

async function addUpTo(count) {
  const authorization = `Basic ${btoa(`admin:${demo.password}`)}`;
  const headers = { authorization, "content-type": "application/json" };
  const listed = async () => (await (await fetch(`${demo.base}/svc/searchproviders/`, { headers })).json()).length;
  for (let number = await listed(); number < count; ) {
    const drafts = Array.from({ length: Math.min(BATCH, count - number) }, () => ({
      name: `Provider ${String(++number).padStart(4, "0")}`,
      url: `https://p${number}.example/search`,
      response_mappings: "RESULTS=items",
      tags: [`team-${number % 7}`],
      active: false,
      default: false,
    }));
    const answer = await fetch(`${demo.base}/svc/searchproviders/`, { method: "POST", headers, body: JSON.stringify(drafts) });
    assert.equal(answer.status, 201, await answer.text());
  }
}

async function timed(deed) {
  const times = [];
  for (let round = 0; round < TRIES; round++) {
    const started = performance.now();
    await deed(round);
    times.push(performance.now() - started);
  }
  return median(times);
}

const rows = (page) => page.locator("#work tbody tr, #work li.record");

async function measure(page, wanted) {
  const load = await timed(async () => {
    await page.goto(`${demo.base}/admin/searchproviders/`);
    await rows(page).first().waitFor();
  });
  const shown = await rows(page).count();
  const filter = page.locator("#work input[type=search]").first();
  const filtering = await timed(async (round) => {
    await filter.fill(round % 2 ? "Library" : wanted);
    await page.waitForFunction((text) => {
      const all = [...document.querySelectorAll("#work tbody tr, #work li.record")];
      return all.length === 1 && all[0].textContent.includes(text);
    }, round % 2 ? "Library" : wanted);
  });
  return { load, filtering, shown };
}

test("many providers: a thousand of them stay usable", { timeout: 240_000 }, async () => {
  const { context, page } = await open({ who: null });
  try {
    await signInAt(context, demo.base, { name: "admin", password: demo.password });
    await addUpTo(FEW);
    const few = await measure(page, "Provider 0010");
    await addUpTo(MANY);
    const many = await measure(page, "Provider 0777");
    for (const [what, name] of [["load", "opening the list"], ["filtering", "filtering it"]]) {
      const ratio = many[what] / few[what];
      measured(`${name} with ${MANY} providers: ${many[what].toFixed(0)} ms, with ${FEW}: ${few[what].toFixed(0)} ms, ratio ${ratio.toFixed(2)}`);
      assert.ok(ratio < RATIO_MAX, `${name}: ratio ${ratio}`);
    }
    measured(`rows shown of ${MANY} providers: ${many.shown}`);
    assert.ok(many.shown >= FEW && many.shown <= ROWS_MAX, `${many.shown} rows`);
  } finally {
    await context.close();
  }
});
