// Results that may be added while a search runs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { growth } from "../../../web/static/js/search/order.js";

const keys = (text) => [...text];

test("results that rank below are added, better ones wait", () => {
  const table = [
    ["", "abc", "abc", 0],
    ["abc", "abc", "", 0],
    ["ab", "abcd", "cd", 0],
    ["ab", "xaby", "y", 1],
    ["ab", "xayb", "", 2],
    // The shown results may be in another order; they are not moved.
    ["ba", "abc", "c", 0],
    // A shown result that left the page ranks below all others, so nothing can be added after it.
    ["abz", "xyab", "", 2],
    ["ab", "", "", 0],
  ];
  for (const [shown, order, below, better] of table) {
    assert.deepEqual(growth(keys(shown), keys(order)), { below: keys(below), better }, `${shown} in ${order}`);
  }
});
