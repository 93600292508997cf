// What a click in an answer makes of the mappings, which blanks a provider has, and the axes of the console's charts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { forDark, onLight } from "../../../web/static/js/admin/branding/contrast.js";
import { places, ticks } from "../../../web/static/js/admin/charts/scale.js";
import { blanksOf, filledIn, fromRequest } from "../../../web/static/js/admin/doctor/blanks.js";
import { Mappings } from "../../../web/static/js/admin/doctor/mappings.js";
import { parse, taken, under, write } from "../../../web/static/js/admin/doctor/path.js";

test("paths are written as they were read", () => {
  for (const path of ["a.b-c", "a[0].b", "a[*].b", "['dc.title'][*]", "a['it\\'s']", "[1].x", "a[-1].x", "$"]) {
    assert.equal(write(parse(path)), path);
  }
  assert.equal(parse("a[b"), null);
});

test("a mapping takes what it names", () => {
  const item = { a: { id: 3 }, y: "Y", list: [{ n: "A" }, { n: "B" }], none: null };
  const cases = [["a.id", "3"], ["x|y", "Y"], ["'https://h/{a.id}'", "https://h/3"], ["list[*].n", "A B"], ["list[1].n", "B"], ["none", ""], ["a", ""], ["", ""]];
  for (const [mapping, value] of cases) assert.equal(taken(mapping, item), value, mapping);
  assert.equal(under("'https://h/{id}'", ["w"]), "'https://h/{w.id}'");
  assert.equal(under("a|b", ["w"]), "w.a|w.b");
});

function mappings() {
  const answer = { total: 9, d: [{ id: 7, w: { t: "T", a: [{ n: "A" }, { n: "B" }], l: ["x", "y"] } }, { id: 8, w: {} }] };
  const proposals = [{ field: "RESULTS", path: "d" }, { field: "RESULT", path: "w" }, { field: "FOUND", path: "total" }, { field: "title", path: "t" }];
  return new Mappings({ answer, results_path: "d", results: 2, proposals });
}

test("what was proposed is kept as it is", () => {
  assert.deepEqual(mappings().written(), { response_mappings: "RESULTS=d,RESULT=w,FOUND=total", result_mappings: "title=t" });
});

test("a click chooses a value of any result, all items for people and texts, the first for the rest", () => {
  const own = mappings();
  assert.ok(own.choose("author", ["d", 0, "w", "a", 1, "n"]));
  assert.ok(own.choose("url", ["d", 0, "w", "l", 1]));
  assert.equal(own.written().result_mappings, "title=t,url=l[0],author=a[*].n");
  assert.deepEqual(own.uses(["d", 0, "w", "a", 0, "n"]), ["author"]);
  assert.deepEqual([own.example("author"), own.example("url"), own.first().title], ["A B", "x", "T"]);
});

test("a value beside what wraps the fields moves all paths up", () => {
  const own = mappings();
  assert.ok(own.choose("url", ["d", 1, "id"]));
  assert.deepEqual(own.written(), { response_mappings: "RESULTS=d,FOUND=total", result_mappings: "title=w.t,url=id" });
});

test("what is no part of a result is not chosen", () => {
  for (const steps of [["total"], ["d"], ["d", 0]]) assert.equal(mappings().choose("title", steps), false, steps.join("."));
});

const DRAFT = {
  name: "YOUR_NAME", credentials: "key=YOUR_KEY,token=YOUR_TOKEN", http_request_headers: { "X-Api-Key": "YOUR_KEY" },
  url: "https://<your-host>/a", result_mappings: "url='https://<your-host>/{id}'", tags: ["<your-tag>"],
};

test("a place is one blank wherever it stands, secrets are apart, and what people read has none", () => {
  assert.deepEqual(blanksOf(DRAFT).map((one) => [one.label, one.isSecret]), [["key", true], ["token", true], ["X-Api-Key", true], ["host", false]]);
  const filled = filledIn(DRAFT, new Map([["<your-host>", " h.example "], ["credentials key", "abc"]]));
  assert.deepEqual([filled.url, filled.result_mappings, filled.credentials, filled.name], ["https://h.example/a", "url='https://h.example/{id}'", "key=abc,token=YOUR_TOKEN", "YOUR_NAME"]);
});

test("a pasted request fills its own blanks", () => {
  const curl = "curl 'https://x/?key=a%20b' -H 'X-Api-Key: zz' -H 'Authorization: Bearer tt'";
  for (const [label, value] of [["key", "a b"], ["X-Api-Key", "zz"], ["bearer", "tt"], ["user", ""]]) assert.equal(fromRequest(curl, label), value, label);
});

test("axes have round numbers, counts no fractions, and labels do not touch", () => {
  /** @type {[number, boolean, number[]][]} */
  const cases = [[0, true, [0, 1]], [1, true, [0, 1]], [3, true, [0, 1, 2, 3]], [1204, true, [0, 500, 1000, 1500]], [0.61, false, [0, 0.2, 0.4, 0.6, 0.8]], [0, false, [0, 1]]];
  for (const [most, isCount, marks] of cases) assert.deepEqual(ticks(most, 4, isCount), marks, String(most));
  assert.deepEqual(places(30, 400), [4, 9, 14, 19, 24, 29]);
  assert.deepEqual(places(0, 400), []);
});

test("a colour is weighed as the service does", () => {
  assert.ok(onLight("#0f766e") >= 4.5 && onLight("#ffdd00") < 4.5);
  assert.equal(forDark("#3fb8a9"), "#3fb8a9");
  assert.notEqual(forDark("#0f766e"), "#0f766e");
});
