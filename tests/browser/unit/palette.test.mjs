// The order of entries in the command palette.

import assert from "node:assert/strict";
import { test } from "node:test";
import { rank } from "../../../web/static/js/admin/palette/rank.js";

const entries = ["Audit log", "Logs", "Schedules", "SVC_LOG_LEVEL", "Query transforms"].map((name) => ({ name, href: "", detail: name === "Schedules" ? "Recurring tasks, with a log" : "" }));

test("the best entries are first, and others are left out", () => {
  const table = [
    ["", ["Audit log", "Logs", "Schedules", "SVC_LOG_LEVEL", "Query transforms"]],
    ["logs", ["Logs"]],
    [" LOG ", ["Logs", "Audit log", "SVC_LOG_LEVEL", "Schedules"]],
    ["log au", ["Audit log"]],
    ["ransf", ["Query transforms"]],
    ["tasks", ["Schedules"]],
    ["nothing", []],
  ];
  for (const [text, names] of /** @type {[string, string[]][]} */ (table)) assert.deepEqual(rank(entries, text, 9).map((one) => one.name), names, text);
  assert.equal(rank(entries, "", 2).length, 2);
});
