// The better order that the second reader finds: it is offered, and nothing moves before the user takes it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { app, browse } from "./harness/app.mjs";
import { assertAccessible, axe } from "./harness/axe.mjs";
import { Installation } from "./harness/installation.mjs";
import { followLink, results, shownTitles, sortBy, submitQuery, waitForResults } from "./harness/pages/search.mjs";

const QUESTION = "How do I reset my password?";
const READINGS_MAX = 20;
const ANSWER = "Login help";
const model = process.env.SVC_TEST_READER_MODEL;

/** The offer of a better order, and the remark above a list that has it. */
const offer = (page) => page.getByRole("link", { name: "A better order was found: show it" });
const remark = (page) => page.locator("[data-better-order]");

if (model) testOffers();
else browse("a better order is offered", { who: null, skip: "SVC_TEST_READER_MODEL is not set" }, async () => {});

function testOffers() {
  const folder = mkdtempSync(join(tmpdir(), "tributary-reader-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync(app.program, ["reader", "install", model], { cwd: folder });
  const service = new Installation({ SVC_SECOND_READER: "True", SVC_DATA_DIR: join(folder, "data") }, async () => {
    await service.createSource("Help", "/help");
    const search = await service.search(QUESTION);
    // A busy machine may need more than one request; what was read is remembered.
    for (let isRead = false, readings = 0; !isRead && readings < READINGS_MAX; readings += 1) {
      const { info } = await service.call("GET", `/svc/results/?search_id=${search}&second_reader=true`);
      isRead = info.results.second_reader;
    }
  });

  service.browse("a better order is offered, and shown when the user takes it", axe(), async (page) => {
    await submitQuery(page, QUESTION, { path: `${service.base}/` });
    await waitForResults(page);
    const usual = await shownTitles(page);
    assert.equal(usual.length, 5);
    assert.notEqual(usual[0], ANSWER);
    const top = () => results(page).first().evaluate((one) => one.getBoundingClientRect().top);
    const before = await top();
    await offer(page).waitFor();
    assert.deepEqual(await shownTitles(page), usual, "nothing moves by itself");
    assert.equal(await top(), before, "the offer takes no space");
    await assertAccessible(page, "a list with a better order");

    await followLink(page, offer(page));
    await remark(page).waitFor();
    assert.equal((await shownTitles(page))[0], ANSWER);
    assert.equal(await offer(page).isVisible(), false);
    assert.equal(await results(page).first().evaluate((one) => one === document.activeElement), true, "the focus is on the first result");
    await page.reload();
    await remark(page).waitFor();
    assert.equal((await shownTitles(page))[0], ANSWER);

    await followLink(page, page.getByRole("link", { name: "Show the usual order" }));
    assert.deepEqual(await shownTitles(page), usual);
    await offer(page).waitFor();
    assert.equal(await remark(page).count(), 0);
  });

  service.browse("a list that is not ordered by relevancy has no better order", undefined, async (page) => {
    await submitQuery(page, QUESTION, { path: `${service.base}/` });
    await waitForResults(page);
    await offer(page).waitFor();
    const asked = page.waitForResponse((response) => response.url().includes("/better/"));
    await sortBy(page, "Round robin");
    assert.deepEqual(await (await asked).json(), { href: null });
    assert.equal(await offer(page).isVisible(), false);
  });
}
