// Chooses the chart for a table. Independent of the page.
//
// | Numeric columns | Chart |
// |---|---|
// | none | bars that count the rows for each value of a column |
// | one | bars |
// | two | points if both have a range, else bars |
// | three or more | bubbles if a column can be a size, else bars |

/** Maximum number of bars and of points. The table below has the rest. */
export const BARS_MAX = 20;
export const POINTS_MAX = 500;
const NUMBER_CHARS_MAX = 32;

/** Parses a number; null if it is not one. Databases often return numbers as text. */
export function numberOf(text) {
  const trimmed = String(text ?? "").trim();
  if (!trimmed || trimmed.length > NUMBER_CHARS_MAX || !/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(trimmed)) return null;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : null;
}

/** The range of the numbers of a column; null if it is empty or has other values. */
function rangeOf(rows, column) {
  let range = null;
  for (const row of rows) {
    if ((row[column] ?? "") === "") continue;
    const number = numberOf(row[column]);
    if (number === null) return null;
    range = { least: Math.min(range?.least ?? number, number), most: Math.max(range?.most ?? number, number) };
  }
  return range;
}

/** The chart by the rules above: `{kind, columns, isCount}`. Columns are indexes: label and value, or x, y and size. */
export function chooseByRules(names, rows) {
  const ranges = names.map((_, column) => rangeOf(rows, column));
  const numeric = names.map((_, column) => column).filter((column) => ranges[column]);
  const label = ranges.findIndex((range) => !range);
  const bars = (value) => ({ kind: "bar", columns: label < 0 ? [value] : [label, value], isCount: false });
  const hasRange = (column) => ranges[column].most > ranges[column].least;
  if (numeric.length === 0) return { kind: "bar", columns: [Math.max(label, 0)], isCount: true };
  if (numeric.length === 2 && numeric.every(hasRange)) return { kind: "scatter", columns: numeric, isCount: false };
  if (numeric.length > 2) {
    const size = [...numeric].reverse().find((column) => hasRange(column) && ranges[column].least >= 0);
    const [x, y] = numeric.filter((column) => column !== size);
    if (size !== undefined) return { kind: "bubble", columns: [x, y, size], isCount: false };
  }
  return bars(numeric[0]);
}

/** The suggested chart if it fits the table, else the chart by the rules. */
export function chooseChart(names, rows, suggested) {
  const columns = (suggested?.fields ?? []).map((field) => names.indexOf(field));
  const isCount = suggested?.count === true;
  const counts = { bar: isCount ? [1] : [1, 2], scatter: [2], bubble: [3] }[suggested?.kind] ?? [];
  const fits = counts.includes(columns.length) && columns.every((column) => column >= 0);
  const values = suggested?.kind === "bar" ? columns.slice(-1) : columns;
  const areNumbers = isCount || values.every((column) => rangeOf(rows, column));
  return fits && areNumbers ? { kind: suggested.kind, columns, isCount } : chooseByRules(names, rows);
}

/** The bars: `[{label, value}]`, and how many were left out. */
export function barsOf(rows, { columns, isCount }) {
  if (isCount) {
    const counts = new Map();
    for (const row of rows) {
      const label = row[columns[0]] ?? "";
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
    const bars = [...counts].map(([label, value]) => ({ label, value })).sort((a, b) => b.value - a.value);
    return { bars: bars.slice(0, BARS_MAX), leftOut: Math.max(0, bars.length - BARS_MAX) };
  }
  const value = columns[columns.length - 1];
  const labelled = columns.length > 1;
  const bars = rows
    .map((row, place) => ({ label: labelled ? (row[columns[0]] ?? "") : String(place + 1), value: numberOf(row[value]) }))
    .filter((bar) => bar.value !== null);
  return { bars: bars.slice(0, BARS_MAX), leftOut: Math.max(0, bars.length - BARS_MAX) };
}

/** The points: `[{label, x, y, size}]`; `label` is the first text of the row. */
export function pointsOf(names, rows, { columns }) {
  const [x, y, size] = columns;
  const label = names.findIndex((_, column) => !columns.includes(column) && rangeOf(rows, column) === null);
  const points = rows
    .map((row) => ({
      label: label < 0 ? "" : (row[label] ?? ""),
      x: numberOf(row[x]),
      y: numberOf(row[y]),
      size: size === undefined ? 1 : numberOf(row[size]),
    }))
    .filter((point) => point.x !== null && point.y !== null && point.size !== null);
  return { points: points.slice(0, POINTS_MAX), leftOut: Math.max(0, points.length - POINTS_MAX) };
}
