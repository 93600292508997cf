// Positions of the parts of a score on its bar.

import assert from "node:assert/strict";
import { test } from "node:test";
import { stackParts, chainParts } from "../../../web/static/js/review/spans.js";

test("positive parts are stacked to the right, negative ones to the left, and they add up", () => {
  /** @type {[number[], number[][], number[]][]} */
  const cases = [
    [[], [], [0, 0]],
    [[3, 2], [[0, 3], [3, 5]], [0, 5]],
    [[3, -4, 1], [[0, 3], [-4, 0], [3, 4]], [-4, 4]],
    [[-1, -2], [[-1, 0], [-3, -1]], [-3, 0]],
    [[0, 0.5, Number.NaN], [[0, 0.5]], [0, 0.5]],
  ];
  for (const [values, expected, reach] of cases) {
    const found = stackParts(values.map((value, place) => ({ factor: `f${place}`, value })));
    assert.deepEqual([found.drawn.map(({ from, to }) => [from, to]), [found.left, found.right]], [expected, reach], String(values));
    const sum = found.drawn.reduce((total, { from, to }) => total + Math.sign(to + from || to) * (to - from), 0);
    assert.equal(sum, values.filter(Number.isFinite).reduce((total, value) => total + value, 0), String(values));
  }
});

test("each part begins where the previous one ends", () => {
  const found = chainParts([3, 0, -4, 2].map((value, place) => ({ factor: `f${place}`, value })));
  assert.deepEqual(found.map(({ from, to }) => [from, to]), [[0, 3], [3, 3], [-1, 3], [-1, 1]]);
});
