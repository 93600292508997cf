// The mappings of a provider as text, and as the starting point of the editor.

import assert from "node:assert/strict";
import { test } from "node:test";
import { joinMappings, readMappings, splitPieces } from "../../../web/static/js/admin/doctor/mapping_text.js";
import { Mappings } from "../../../web/static/js/admin/doctor/mappings.js";
import { StoredMappings } from "../../../web/static/js/admin/doctor/stored.js";

test("commas in brackets and templates do not split", () => {
  const table = [
    ["", []],
    ["title=name, body=text ,", ["title=name", "body=text"]],
    ["url='https://h/{id}, it''s',NO_PAYLOAD", ["url='https://h/{id}, it''s'", "NO_PAYLOAD"]],
    ["title=a['x,y'],n", ["title=a['x,y']", "n"]],
    ["title=😀,body=b", ["title=😀", "body=b"]],
  ];
  for (const [text, pieces] of /** @type {[string, string[]][]} */ (table)) assert.deepEqual(splitPieces(text), pieces, text);
});

test("what the editor does not know is kept", () => {
  const { known, others } = readMappings("title=a,title=b,extra=c,url='x',url=y,NO_PAYLOAD", ["title", "url"]);
  assert.deepEqual(known, { title: "a|b", url: "'x'" });
  assert.deepEqual(others, ["extra=c", "url=y", "NO_PAYLOAD"]);
  assert.equal(joinMappings("title=a|b", others), "title=a|b,extra=c,url=y,NO_PAYLOAD");
});

const answer = { total: 2, items: [{ n: "A" }, { n: "B" }], page: { items: [{ m: "C" }] } };
const diagnosis = { answer, results_path: "page.items", results: 1, proposals: [{ field: "title", path: "m" }], provider: { url: "" } };

test("the mappings of a source fit a response with its result list", () => {
  const stored = new StoredMappings({ response_mappings: "RESULTS=items,FOUND=total,ERROR=problem", result_mappings: "title=n,extra" });
  assert.ok(stored.fits(answer));
  const own = new Mappings(stored.applyTo(diagnosis));
  assert.equal(own.count, 2);
  assert.deepEqual(own.toProviderFields(), { response_mappings: "RESULTS=items,FOUND=total", result_mappings: "title=n" });
  assert.deepEqual([stored.places.others, stored.fields.others], [["ERROR=problem"], ["extra"]]);
  for (const [response, result] of [["RESULTS=gone", "title=n"], ["RESULTS=items", ""], ["", "title=n"]]) {
    assert.equal(new StoredMappings({ response_mappings: response, result_mappings: result }).fits(answer), false, response);
  }
});

test("a response that is a list is the result list", () => {
  const stored = new StoredMappings({ response_mappings: "", result_mappings: "title=n" });
  assert.ok(stored.fits([{ n: "A" }]) && stored.describes({ n: "A" }) && !stored.describes({ m: "A" }));
  assert.equal(stored.applyTo({ ...diagnosis, answer: [{ n: "A" }] }).results_path, "$");
});
