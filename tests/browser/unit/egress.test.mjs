// How long a page tries to see how far a scan is.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FAILURES_MAX, LOOK_MS, waitAfter } from "../../../web/static/js/egress/retry.js";

test("a look that failed is tried again, later each time, and not for ever", () => {
  const unreached = /** @type {any} */ (new Error("nobody answered"));
  const waits = Array.from({ length: FAILURES_MAX + 1 }, (_, past) => waitAfter(unreached, past + 1));
  assert.deepEqual(waits, [1, 2, 4, 8, 16].map((times) => times * LOOK_MS).concat(null));
});

test("who is refused is not asked again, unless it was too often", () => {
  for (const status of [500, 503, 429]) assert.notEqual(waitAfter({ status }, 1), null, String(status));
  for (const status of [400, 401, 403, 404]) assert.equal(waitAfter({ status }, 1), null, String(status));
});
