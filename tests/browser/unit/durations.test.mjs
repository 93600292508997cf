// Durations as the console shows them.

import assert from "node:assert/strict";
import { test } from "node:test";

/** @type {any} */ (globalThis).document = { documentElement: { lang: "en" } };
const { secondCount, seconds, timeLeft } = await import("../../../web/static/js/i18n.js");

test("short durations are in milliseconds, long ones have no decimal places", () => {
  const durations = [[null, "–"], [undefined, "–"], [0, "0 s"], [0.0004, "0.4 ms"], [0.0123, "12 ms"], [0.1, "0.10 s"], [1.234, "1.23 s"], [12.6, "13 s"]];
  for (const [value, expected] of durations) assert.equal(seconds(value), expected, String(value));
});

test("the remaining time of a pause is in seconds, then in minutes", () => {
  const times = [[0.2, "1 second"], [59.1, "60 seconds"], [119, "119 seconds"], [120, "2 minutes"], [271, "5 minutes"]];
  for (const [value, expected] of times) assert.equal(timeLeft(value), expected, String(value));
});

test("a duration that the API has rounded to zero is short", () => {
  for (const [value, expected] of [[0, "<0.1"], [0.1, "0.10"], [12, "12"]]) assert.equal(secondCount(value), expected, String(value));
});
