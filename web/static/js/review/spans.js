// Positions of the parts of a sum on a line.

/**
 * All on one line, those above zero one after the other to the right, those below to the left. Of `{factor, value}`: those
 * that are not zero with `from` and `to`, and how far they reach to both sides.
 */
export function spans(parts) {
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

/** Each on a line of its own, where the one before it ended: the last one ends at the sum. */
export function steps(parts) {
  let sum = 0;
  return parts.map(({ factor, value }) => {
    const before = sum;
    sum += Number.isFinite(value) ? value : 0;
    return { factor, value, from: Math.min(before, sum), to: Math.max(before, sum) };
  });
}
