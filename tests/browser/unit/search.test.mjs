// What may be painted while a search runs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { growth } from "../../../web/static/js/search/order.js";

const keys = (text) => [...text];

test("what ranks below is added, what ranks above waits", () => {
  const table = [
    ["", "abc", "abc", 0],
    ["abc", "abc", "", 0],
    ["ab", "abcd", "cd", 0],
    ["ab", "xaby", "y", 1],
    ["ab", "xayb", "", 2],
    // The order of what is shown may be another one; it stays.
    ["ba", "abc", "c", 0],
    // What fell off the page ranks below all of it: nothing can be added after it.
    ["abz", "xyab", "", 2],
    ["ab", "", "", 0],
  ];
  for (const [shown, order, below, better] of table) {
    assert.deepEqual(growth(keys(shown), keys(order)), { below: keys(below), better }, `${shown} in ${order}`);
  }
});
