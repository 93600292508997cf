// The bars and points of a table. Independent of the page. The server chooses the chart.

/** Maximum number of bars. The table has the rest; `ui/search/chart.rs` reserves space for as many. */
export const BARS_MAX = 20;
const NUMBER_CHARS_MAX = 32;

/** Parses a number; null if it is not one. Databases often return numbers as text. */
export function numberOf(text) {
  const trimmed = String(text ?? "").trim();
  if (!trimmed || trimmed.length > NUMBER_CHARS_MAX || !/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(trimmed)) return null;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : null;
}

/** The bars: `[{label, value}]`. `columns` are the label, if there is one, and the value. */
export function barsOf(rows, { columns, isCount }) {
  if (isCount) {
    const counts = new Map();
    for (const row of rows) {
      const label = row[columns[0]] ?? "";
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
    return [...counts].map(([label, value]) => ({ label, value })).sort((a, b) => b.value - a.value).slice(0, BARS_MAX);
  }
  const value = columns[columns.length - 1];
  const labelled = columns.length > 1;
  return rows
    .map((row, place) => ({ label: labelled ? (row[columns[0]] ?? "") : String(place + 1), value: numberOf(row[value]) }))
    .filter((bar) => bar.value !== null)
    .slice(0, BARS_MAX);
}

/** The points: `[{label, x, y, size}]`. `columns` are x, y and the size, if there is one; `label` is a column too. */
export function pointsOf(rows, { columns, label }) {
  const [x, y, size] = columns;
  return rows
    .map((row) => ({
      label: row[label] ?? "",
      x: numberOf(row[x]),
      y: numberOf(row[y]),
      size: size === undefined ? 1 : numberOf(row[size]),
    }))
    .filter((point) => point.x !== null && point.y !== null && point.size !== null);
}
