// The chart of a table, its data, and its axes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BARS_MAX, POINTS_MAX, barsOf, chooseByRules, chooseChart, numberOf, pointsOf } from "../../../web/static/js/charts/choose.js";
import { linear, ticks } from "../../../web/static/js/charts/scale.js";

/** @type {(cells: any[][]) => [string[], string[][]]} */
const table = ([names, ...rows]) => [names, rows.map((row) => row.map(String))];

test("the number of numeric columns determines the chart", () => {
  /** @type {[any[][], string, number[], boolean][]} */
  const cases = [
    [[["a", "b"], ["x", "p"], ["y", "q"]], "bar", [0], true],
    [[["a", "n"], ["x", 1], ["y", 2]], "bar", [0, 1], false],
    [[["n"], [1], [2]], "bar", [0], false],
    [[["a", "n"], ["x", "1.5"], ["y", ""]], "bar", [0, 1], false],
    [[["a", "n", "m"], ["x", 1, -3], ["y", 2, 4]], "scatter", [1, 2], false],
    [[["a", "n", "m"], ["x", 1, 4], ["y", 2, 4]], "bar", [0, 1], false],
    [[["n", "m", "s"], [1, 2, 3], [2, 1, 5]], "bubble", [0, 1, 2], false],
    [[["n", "s", "m"], [-1, 2, -3], [2, 1, 5]], "bubble", [0, 2, 1], false],
    [[["a", "n", "m", "s"], ["x", -1, 2, 3], ["y", 2, 2, 3]], "bar", [0, 1], false],
    [[["a", "n"], ["x", "nan"], ["y", "2021-03-04"]], "bar", [0], true],
    [[["n", "b"], [1, "true"]], "bar", [1, 0], false],
    [[["n"]], "bar", [0], true],
  ];
  for (const [cells, kind, columns, isCount] of cases) {
    assert.deepEqual(chooseByRules(...table(cells)), { kind, columns, isCount }, JSON.stringify(cells));
  }
});

test("a suggestion is used only if it fits the table", () => {
  const [names, rows] = table([["a", "n", "m"], ["x", 1, 4], ["y", 2, 5]]);
  assert.deepEqual(chooseChart(names, rows, { kind: "bar", fields: ["a", "m"] }), { kind: "bar", columns: [0, 2], isCount: false });
  const byRules = { kind: "scatter", columns: [1, 2], isCount: false };
  for (const wrong of [null, {}, { kind: "pie", fields: ["a"] }, { kind: "bar", fields: ["gone"] }, { kind: "scatter", fields: ["a", "n"] }, { kind: "bubble", fields: ["n", "m"] }]) {
    assert.deepEqual(chooseChart(names, rows, wrong), byRules, JSON.stringify(wrong));
  }
});

test("numbers are parsed", () => {
  const cases = [["1", 1], [" -2.5 ", -2.5], ["1e3", 1000], [".5", 0.5], ["", null], ["1,5", null], ["0x10", null], ["Infinity", null], ["12 km", null], ["1".repeat(33), null], [undefined, null]];
  for (const [text, expected] of cases) assert.equal(numberOf(text), expected, String(text));
});

test("bars are counted, labeled and limited", () => {
  const counted = barsOf([["x"], ["y"], ["x"]], { columns: [0], isCount: true });
  assert.deepEqual(counted, { bars: [{ label: "x", value: 2 }, { label: "y", value: 1 }], leftOut: 0 });
  const unlabelled = barsOf([["5"], ["no"]], { columns: [0], isCount: false });
  assert.deepEqual(unlabelled.bars, [{ label: "1", value: 5 }]);
  const many = Array.from({ length: BARS_MAX + 3 }, (_, n) => [`l${n}`, String(n)]);
  const { bars, leftOut } = barsOf(many, { columns: [0, 1], isCount: false });
  assert.deepEqual([bars.length, leftOut], [BARS_MAX, 3]);
});

test("points have the first text of their row as label and are limited", () => {
  const [names, rows] = table([["n", "name", "m"], [1, "x", 2], ["", "y", 3]]);
  assert.deepEqual(pointsOf(names, rows, { columns: [0, 2] }).points, [{ label: "x", x: 1, y: 2, size: 1 }]);
  const many = Array.from({ length: POINTS_MAX + 1 }, (_, n) => [String(n), "1"]);
  assert.equal(pointsOf(["a", "b"], many, { columns: [0, 1] }).leftOut, 1);
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
