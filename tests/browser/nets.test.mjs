// The nets themselves: each of them catches what it is there for.

import assert from "node:assert/strict";
import { assertAccessible, assertReadable, axe } from "./harness/axe.mjs";
import { check, open } from "./harness/app.mjs";
import { isFormula, parseCsv } from "./harness/csv.mjs";
import { assertInert } from "./harness/inert.mjs";
import { assertNarrow } from "./harness/narrow.mjs";
import { assertClean } from "./harness/watch.mjs";

async function spoiled(options, body) {
  const opened = await open(options);
  try {
    await body(opened.page, opened);
  } finally {
    await opened.context.close();
  }
}

check("a page that lets a source run is noticed", () =>
  spoiled({ who: null }, async (page, { context, seen }) => {
    await page.setContent("<main></main>");
    await page.evaluate(() => {
      document.querySelector("main").innerHTML = `<img src="http://127.0.0.1:9/pixel.png" onerror="window.canary = 1; alert(1)"><a href="javascript:0">go</a>`;
    });
    await page.waitForFunction(() => window.canary);
    await assert.rejects(assertInert(page, "spoiled"), /onerror/);
    await assert.rejects(assertClean(context, seen));
    assert.deepEqual([seen.dialogs, seen.foreign, seen.canaries.length], [["1"], ["http://127.0.0.1:9/pixel.png"], 1]);
  }));

check("a breach of the policy and an error are noticed", () =>
  spoiled({ who: null }, async (page, { context, seen }) => {
    await page.goto("/login/");
    await page.evaluate(() => {
      const style = document.createElement("style");
      style.textContent = "body { color: red }";
      document.head.append(style);
      setTimeout(() => globalThis.nothing.there, 0);
    });
    await page.waitForFunction(() => window.breaches.length > 0);
    await assert.rejects(assertClean(context, seen), /style-src/);
    assert.ok(seen.errors.length > 0);
  }));

check("a barrier and a page that is too wide are noticed", () =>
  spoiled({ who: null, width: 390, init: axe() }, async (page) => {
    await page.goto("/login/");
    await assertAccessible(page, "as it is");
    await assertNarrow(page, "as it is");
    await page.evaluate(() => {
      const wide = document.createElement("button");
      wide.style.width = "500px";
      document.querySelector("main").append(wide);
    });
    await assert.rejects(assertAccessible(page, "spoiled"), /button-name/);
    await assert.rejects(assertNarrow(page, "spoiled"), /too wide/);
    await assertReadable(page, "a button without a name");
    await page.evaluate(() => (document.querySelector("h1").style.color = "#ccc"));
    await assert.rejects(assertReadable(page, "spoiled"), /color-contrast/);
  }));

check("formulas are told from numbers", () => {
  assert.deepEqual(["=1+1", "+1+1", "-2+3", "@SUM(1)", "\t=1", " =1"].filter((cell) => !isFormula(cell)), []);
  assert.deepEqual(["'=1+1", "-3", "+4.5", "a=b", ""].filter(isFormula), []);
  assert.deepEqual(parseCsv('a,"b ""c"", d"\r\n1,"2\n3"\n'), [["a", 'b "c", d'], ["1", "2\n3"]]);
});
