// The data of a chart, and its axes. The server chooses the chart: `ui/search/chart.rs`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BARS_MAX, barsOf, numberOf, pointsOf } from "../../../web/static/js/charts/data.js";
import { linear, ticks } from "../../../web/static/js/charts/scale.js";

test("numbers are parsed", () => {
  const cases = [["1", 1], [" -2.5 ", -2.5], ["1e3", 1000], [".5", 0.5], ["", null], ["1,5", null], ["0x10", null], ["Infinity", null], ["12 km", null], ["1".repeat(33), null], [undefined, null]];
  for (const [text, expected] of cases) assert.equal(numberOf(text), expected, String(text));
});

test("bars are counted, labeled and limited", () => {
  const counted = barsOf([["x"], ["y"], ["x"]], { columns: [0], isCount: true });
  assert.deepEqual(counted, [{ label: "x", value: 2 }, { label: "y", value: 1 }]);
  const unlabelled = barsOf([["5"], ["no"]], { columns: [0], isCount: false });
  assert.deepEqual(unlabelled, [{ label: "1", value: 5 }]);
  const many = Array.from({ length: BARS_MAX + 3 }, (_, n) => [`l${n}`, String(n)]);
  assert.equal(barsOf(many, { columns: [0, 1], isCount: false }).length, BARS_MAX);
});

test("points are the rows with all numbers", () => {
  const rows = [["1", "x", "2"], ["", "y", "3"]];
  assert.deepEqual(pointsOf(rows, { columns: [0, 2], label: "1" }), [{ label: "x", x: 1, y: 2, size: 1 }]);
  assert.deepEqual(pointsOf(rows, { columns: [2, 0], label: undefined }), [{ label: "", x: 2, y: 1, size: 1 }]);
});

test("axes have round ticks that cover all values", () => {
  assert.deepEqual(ticks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticks(0.13, 0.62, 5), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
  assert.deepEqual(ticks(-3, 4, 4), [-4, -2, 0, 2, 4]);
  for (const [least, most] of [[0, 1], [7, 7], [0, 0], [-5, -5], [1e-9, 3e-9], [-1e12, 1e12]]) {
    const steps = ticks(least, most);
    assert.ok(steps.length >= 2 && steps.length < 20, `${least} ${most}: ${steps}`);
    assert.ok(steps[0] <= least && steps[steps.length - 1] >= most, `${least} ${most}: ${steps}`);
  }
  assert.equal(linear(0, 10, 100, 200)(5), 150);
  assert.equal(linear(3, 3, 0, 10)(3), 5);
});
