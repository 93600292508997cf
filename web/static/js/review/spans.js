// Positions of the parts of a sum on a bar.

/**
 * Stacks parts `{factor, value}` in one bar: positive ones to the right of zero, negative ones to the left. Returns the
 * parts that are not zero with `from` and `to`, and the extent to both sides.
 */
export function stackParts(parts) {
  let [right, left] = [0, 0];
  const drawn = [];
  for (const { factor, value } of parts) {
    if (!Number.isFinite(value) || value === 0) continue;
    const from = value > 0 ? right : left + value;
    drawn.push({ factor, value, from, to: from + Math.abs(value) });
    if (value > 0) right += value;
    else left += value;
  }
  return { drawn, left, right };
}

/** Positions of parts in bars of their own: each begins where the previous one ends, and the last one ends at the sum. */
export function chainParts(parts) {
  let sum = 0;
  return parts.map(({ factor, value }) => {
    const before = sum;
    sum += Number.isFinite(value) ? value : 0;
    return { factor, value, from: Math.min(before, sum), to: Math.max(before, sum) };
  });
}
