// Branding and pipelines. They affect all users, so these tests run after the others.

import assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import { api, browse } from "./harness/app.mjs";
import { visit } from "./harness/pages/console.mjs";
import { uniqueName } from "./harness/records.mjs";

browse("a pipeline is reordered with arrows and by dragging", {}, async (page) => {
  const [before] = await api("GET", "/svc/pipelines/");
  await visit(page, `/admin/pipelines/${before.id}/`);
  const words = () => page.locator("ol.ordered li .ordered-name").allInnerTexts();
  await page.locator("ol.ordered li").nth(1).waitFor();
  const first = await words();
  assert.equal(await page.locator("ol.ordered li").filter({ hasText: "DedupeByFieldPostResultProcessor" }).locator("b").innerText(), "Dedupe by field");
  await page.getByRole("button", { name: `Move ${first[0]} down` }).click();
  assert.deepEqual((await words()).slice(0, 2), [first[1], first[0]]);
  await page.locator("ol.ordered li").nth(1).dragTo(page.locator("ol.ordered li").nth(0));
  assert.deepEqual(await words(), first, "dragged back");
  await page.getByRole("button", { name: `Move ${first[0]} down` }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.").waitFor();
  const after = await api("GET", `/svc/pipelines/${before.id}/`);
  assert.deepEqual(after.processors.slice(0, 2), [first[1], first[0]]);
  await api("PATCH", `/svc/pipelines/${before.id}/`, { processors: before.processors });
});

/** A small PNG image of one color. */
function png() {
  const crcs = Array.from({ length: 256 }, (_, n) => [...Array(8)].reduce((c) => (c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1), n));
  const crc = (bytes) => (bytes.reduce((c, byte) => crcs[(c ^ byte) & 255] ^ (c >>> 8), -1) ^ -1) >>> 0;
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc(body));
    return Buffer.concat([size, body, sum]);
  };
  const head = Buffer.from([0, 0, 0, 60, 0, 0, 0, 16, 8, 2, 0, 0, 0]);
  const pixels = Buffer.concat(Array.from({ length: 16 }, () => Buffer.concat([Buffer.from([0]), Buffer.alloc(180, 90)])));
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk("IHDR", head), chunk("IDAT", deflateSync(pixels)), chunk("IEND", Buffer.alloc(0))]);
}

browse("a branding changes name, color, texts and logo, and can be deleted", {}, async (page) => {
  const name = uniqueName("Spring");
  await visit(page, "/admin/branding/");
  try {
    await page.getByRole("button", { name: "Save and use" }).click();
    await page.getByText("Enter a name.").waitFor();
    await page.getByLabel("Branding name").fill(name);
    await page.getByLabel("Product name").fill("Waterways <b>&</b>");
    await page.getByLabel("Search box placeholder").fill("Look into the river");
    await page.getByLabel("Color as #rrggbb").fill("#7c2d12");
    await page.getByLabel("Color as #rrggbb").press("Tab");
    await page.getByLabel("Logo for the light theme").setInputFiles({ name: "no.png", mimeType: "image/png", buffer: Buffer.from("<svg onload=alert(1)>") });
    await page.getByText("This file is not a PNG.").waitFor();
    await page.getByLabel("Logo for the light theme").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: png() });
    await page.getByRole("button", { name: "Save and use" }).click();
    await page.getByText("Saved. Reload the page").waitFor();
    await page.goto("/");
    assert.match(await page.title(), /Waterways <b>&<\/b>/);
    assert.equal(await page.getByRole("searchbox").first().getAttribute("placeholder"), "Look into the river");
    const logo = page.locator(".brand img").first();
    await logo.waitFor();
    assert.ok(await logo.evaluate((one) => one.naturalWidth > 0), "the logo is loaded");
    const color = await page.locator("button.go").first().evaluate((one) => getComputedStyle(one).backgroundColor);
    assert.equal(color, "rgb(124, 45, 18)");
  } finally {
    for (const one of await api("GET", "/svc/brandings/")) await api("DELETE", `/svc/brandings/${one.id}/`);
  }
  await page.goto("/");
  assert.match(await page.title(), /Tributary/);
});
