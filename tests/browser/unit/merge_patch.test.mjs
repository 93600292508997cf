// Edits of a form as a JSON merge patch.

import assert from "node:assert/strict";
import { test } from "node:test";
import { patchOf } from "../../../web/static/js/admin/records/merge_patch.js";

test("settings that are removed in a form are removed by the patch", () => {
  const before = { name: "A", config: { a: 1, b: { c: 2, d: [1] }, e: 0 }, query_template_json: { a: 1 } };
  const table = [
    [{ name: "B" }, { name: "B" }],
    [{ config: { a: 1, b: { c: 2, d: [1] } } }, { config: { e: null } }],
    [{ config: { a: 2, b: { d: [1] }, e: 0, f: {} } }, { config: { a: 2, b: { c: null }, f: {} } }],
    [{ config: { b: 7 } }, { config: { a: null, e: null, b: 7 } }],
    [{ config: {} }, { config: { a: null, b: null, e: null } }],
    [{ query_template_json: {} }, { query_template_json: {} }],
    [{ page_fetch_config_json: { cache: "true" } }, { page_fetch_config_json: { cache: "true" } }],
  ];
  for (const [changed, patch] of table) assert.deepEqual(patchOf(before, changed), patch, JSON.stringify(changed));
});
