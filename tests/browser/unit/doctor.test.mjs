// Mappings that are chosen by clicks, placeholders of a provider, axes of the console's charts, and contrast of colors.

import assert from "node:assert/strict";
import { test } from "node:test";
import { shadeForDark, contrastOnLight } from "../../../web/static/js/admin/branding/contrast.js";
import { labelPositions, ticks } from "../../../web/static/js/admin/charts/scale.js";
import { findPlaceholders, fillPlaceholders, valueFromRequest } from "../../../web/static/js/admin/doctor/placeholders.js";
import { Mappings } from "../../../web/static/js/admin/doctor/mappings.js";
import { parsePath, extractValue, prefixPaths, formatPath } from "../../../web/static/js/admin/doctor/path.js";

test("a parsed path is formatted as before", () => {
  for (const path of ["a.b-c", "a[0].b", "a[*].b", "['dc.title'][*]", "a['it\\'s']", "[1].x", "a[-1].x", "$"]) {
    assert.equal(formatPath(parsePath(path)), path);
  }
  assert.equal(parsePath("a[b"), null);
});

test("a mapping extracts a value", () => {
  const item = { a: { id: 3 }, y: "Y", list: [{ n: "A" }, { n: "B" }], none: null };
  const cases = [["a.id", "3"], ["x|y", "Y"], ["'https://h/{a.id}'", "https://h/3"], ["list[*].n", "A B"], ["list[1].n", "B"], ["none", ""], ["a", ""], ["", ""]];
  for (const [mapping, value] of cases) assert.equal(extractValue(mapping, item), value, mapping);
  assert.equal(prefixPaths("'https://h/{id}'", ["w"]), "'https://h/{w.id}'");
  assert.equal(prefixPaths("a|b", ["w"]), "w.a|w.b");
});

function mappings() {
  const answer = { total: 9, d: [{ id: 7, w: { t: "T", a: [{ n: "A" }, { n: "B" }], l: ["x", "y"] } }, { id: 8, w: {} }] };
  const proposals = [{ field: "RESULTS", path: "d" }, { field: "RESULT", path: "w" }, { field: "FOUND", path: "total" }, { field: "title", path: "t" }];
  return new Mappings({ answer, results_path: "d", results: 2, proposals });
}

test("proposals are not changed", () => {
  assert.deepEqual(mappings().toProviderFields(), { response_mappings: "RESULTS=d,RESULT=w,FOUND=total", result_mappings: "title=t" });
});

test("a click assigns a value: all items of a list for author and body, the first for other fields", () => {
  const own = mappings();
  assert.ok(own.choose("author", ["d", 0, "w", "a", 1, "n"]));
  assert.ok(own.choose("url", ["d", 0, "w", "l", 1]));
  assert.equal(own.toProviderFields().result_mappings, "title=t,url=l[0],author=a[*].n");
  assert.deepEqual(own.uses(["d", 0, "w", "a", 0, "n"]), ["author"]);
  assert.deepEqual([own.example("author"), own.example("url"), own.first().title], ["A B", "x", "T"]);
});

test("a value outside of the wrapper removes the wrapper", () => {
  const own = mappings();
  assert.ok(own.choose("url", ["d", 1, "id"]));
  assert.deepEqual(own.toProviderFields(), { response_mappings: "RESULTS=d,FOUND=total", result_mappings: "title=w.t,url=id" });
});

test("a value outside of the results cannot be assigned", () => {
  for (const steps of [["total"], ["d"], ["d", 0]]) assert.equal(mappings().choose("title", steps), false, steps.join("."));
});

const SPEC = {
  name: "YOUR_NAME", credentials: "key=YOUR_KEY,token=YOUR_TOKEN", http_request_headers: { "X-Api-Key": "YOUR_KEY" },
  url: "https://<your-host>/a", result_mappings: "url='https://<your-host>/{id}'", tags: ["<your-tag>"],
};

test("a host is one placeholder, each secret is its own, and texts for users have none", () => {
  assert.deepEqual(findPlaceholders(SPEC).map((one) => [one.label, one.isSecret]), [["key", true], ["token", true], ["X-Api-Key", true], ["host", false]]);
  const filled = fillPlaceholders(SPEC, new Map([["<your-host>", " h.example "], ["credentials key", "abc"]]));
  assert.deepEqual([filled.url, filled.result_mappings, filled.credentials, filled.name], ["https://h.example/a", "url='https://h.example/{id}'", "key=abc,token=YOUR_TOKEN", "YOUR_NAME"]);
});

test("values of placeholders are taken from the pasted request", () => {
  const curl = "curl 'https://x/?key=a%20b' -H 'X-Api-Key: zz' -H 'Authorization: Bearer tt'";
  for (const [label, value] of [["key", "a b"], ["X-Api-Key", "zz"], ["bearer", "tt"], ["user", ""]]) assert.equal(valueFromRequest(curl, label), value, label);
});

test("axes have round numbers, counts have no fractions, and labels do not overlap", () => {
  /** @type {[number, boolean, number[]][]} */
  const cases = [[0, true, [0, 1]], [1, true, [0, 1]], [3, true, [0, 1, 2, 3]], [1204, true, [0, 500, 1000, 1500]], [0.61, false, [0, 0.2, 0.4, 0.6, 0.8]], [0, false, [0, 1]]];
  for (const [most, isCount, marks] of cases) assert.deepEqual(ticks(most, 4, isCount), marks, String(most));
  assert.deepEqual(labelPositions(30, 400), [4, 9, 14, 19, 24, 29]);
  assert.deepEqual(labelPositions(0, 400), []);
});

test("contrast is computed as in the service", () => {
  assert.ok(contrastOnLight("#0f766e") >= 4.5 && contrastOnLight("#ffdd00") < 4.5);
  assert.equal(shadeForDark("#3fb8a9"), "#3fb8a9");
  assert.notEqual(shadeForDark("#0f766e"), "#0f766e");
});
