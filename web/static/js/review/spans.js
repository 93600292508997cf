// Where the parts of a sum lie on a line: those above zero one after the other to the right, those below to the left.

/** Of `{factor, value}`: those that are not zero with `from` and `to`, and how far they reach from zero. */
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
  return { drawn, reach: Math.max(right, -left) };
}
