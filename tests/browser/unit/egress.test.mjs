// Retries of the page that follows a scan.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FAILURES_MAX, POLL_MS, retryDelay } from "../../../web/static/js/egress/retry.js";

test("a failed request is retried with growing delays, up to a limit", () => {
  const networkError = /** @type {any} */ (new Error("no response"));
  const waits = Array.from({ length: FAILURES_MAX + 1 }, (_, past) => retryDelay(networkError, past + 1));
  assert.deepEqual(waits, [1, 2, 4, 8, 16].map((times) => times * POLL_MS).concat(null));
});

test("a client error is final, except for 429", () => {
  for (const status of [500, 503, 429]) assert.notEqual(retryDelay({ status }, 1), null, String(status));
  for (const status of [400, 401, 403, 404]) assert.equal(retryDelay({ status }, 1), null, String(status));
});
