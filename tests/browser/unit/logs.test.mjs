// Which lines of a log file are shown.

import assert from "node:assert/strict";
import { test } from "node:test";
import { filterLines, parseLine, parseMessage } from "../../../web/static/js/admin/logs/lines.js";

const TIME = "2026-11-15T07:24:10.123456Z";
const file = `${TIME}  INFO request{request.id=a}: server: GET /static/{*path} answered 200 http.status=200`;
const missing = `${TIME}  INFO request{request.id=b}: server: GET /static/{*path} answered 404 http.status=404`;
const slow = `${TIME}  WARN server::x: slow search.id=12`;
const failed = `${TIME} ERROR server::x: it failed`;
const trace = "   at the second line of the error";
const json = `{"timestamp":"${TIME}","level":"ERROR","fields":{"message":"failed"}}`;
const all = [file, missing, slow, failed, trace, json];

test("a line has a time, a level and a text", () => {
  assert.deepEqual(parseLine(slow), { time: TIME, level: "WARN", text: "server::x: slow search.id=12" });
  assert.deepEqual(parseLine(json), { time: "", level: "ERROR", text: json });
  assert.deepEqual(parseLine(trace), { time: "", level: "", text: trace });
});

test("the message of a line is set off from its spans, its module and its fields", () => {
  const worker = "worker{queue=\"search\"}:task{task.id=1}: federation::fan_out: Denied - HR failed: no key (HTTP 401) error=\"denied\" duration_s=0.1";
  for (const [text, message] of [
    [parseLine(file).text, "GET /static/{*path} answered 200"],
    [parseLine(slow).text, "slow"],
    [worker, "Denied - HR failed: no key (HTTP 401)"],
    ["server::auth::events: login: admin signed in user.id=1", "login: admin signed in"],
    ["a text of another program", "a text of another program"],
  ]) {
    const parts = parseMessage(text);
    assert.equal(parts.message, message);
    assert.equal(parts.before + parts.message + parts.after, text);
  }
});

test("lines are filtered by level, text and requests for files", () => {
  assert.deepEqual(filterLines(all, {}), all);
  assert.deepEqual(filterLines(all, { withFiles: false }), [missing, slow, failed, trace, json]);
  assert.deepEqual(filterLines(all, { level: "WARN" }), [slow, failed, trace, json]);
  assert.deepEqual(filterLines(all, { level: "ERROR" }), [failed, trace, json]);
  assert.deepEqual(filterLines(all, { text: "second line" }), [trace]);
});
