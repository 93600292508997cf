// The checks of the harness find the problems that they are for.

import assert from "node:assert/strict";
import { assertAccessible, assertReadable, axe } from "./harness/axe.mjs";
import { check, openPage } from "./harness/app.mjs";
import { isFormula, parseCsv } from "./harness/csv.mjs";
import { assertInert } from "./harness/inert.mjs";
import { assertNarrow } from "./harness/narrow.mjs";
import { assertClean } from "./harness/watch.mjs";

async function withPage(options, body) {
  const tab = await openPage(options);
  try {
    await body(tab.page, tab);
  } finally {
    await tab.context.close();
  }
}

check("a page that runs the script of a source is reported", () =>
  withPage({ who: null }, async (page, { context, problems }) => {
    await page.setContent("<main></main>");
    await page.evaluate(() => {
      document.querySelector("main").innerHTML = `<img src="http://127.0.0.1:9/pixel.png" onerror="window.canary = 1; alert(1)"><a href="javascript:0">go</a>`;
    });
    await page.waitForFunction(() => window.canary);
    await assert.rejects(assertInert(page, "broken"), /onerror/);
    await assert.rejects(assertClean(context, problems));
    assert.deepEqual([problems.dialogs, problems.foreign, problems.canaries.length], [["1"], ["http://127.0.0.1:9/pixel.png"], 1]);
  }));

check("a violation of the policy and an error are reported", () =>
  withPage({ who: null }, async (page, { context, problems }) => {
    await page.goto("/login/");
    await page.evaluate(() => {
      const style = document.createElement("style");
      style.textContent = "body { color: red }";
      document.head.append(style);
      setTimeout(() => globalThis.nothing.there, 0);
    });
    await page.waitForFunction(() => window.breaches.length > 0);
    await assert.rejects(assertClean(context, problems), /style-src/);
    assert.ok(problems.errors.length > 0);
  }));

check("an accessibility problem and a page that is too wide are reported", () =>
  withPage({ who: null, width: 390, init: axe() }, async (page) => {
    await page.goto("/login/");
    await assertAccessible(page, "unchanged");
    await assertNarrow(page, "unchanged");
    await page.evaluate(() => {
      const wide = document.createElement("button");
      wide.style.width = "500px";
      document.querySelector("main").append(wide);
    });
    await assert.rejects(assertAccessible(page, "broken"), /button-name/);
    await assert.rejects(assertNarrow(page, "broken"), /too wide/);
    await assertReadable(page, "a button without a name");
    await page.evaluate(() => (document.querySelector("h1").style.color = "#ccc"));
    await assert.rejects(assertReadable(page, "broken"), /color-contrast/);
  }));

check("formulas are distinguished from numbers", () => {
  assert.deepEqual(["=1+1", "+1+1", "-2+3", "@SUM(1)", "\t=1", " =1"].filter((cell) => !isFormula(cell)), []);
  assert.deepEqual(["'=1+1", "-3", "+4.5", "a=b", ""].filter(isFormula), []);
  assert.deepEqual(parseCsv('a,"b ""c"", d"\r\n1,"2\n3"\n'), [["a", 'b "c", d'], ["1", "2\n3"]]);
});
