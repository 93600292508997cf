// Round numbers for axes.

/** Ticks from 0 to at least `most`, about `wanted` of them, each a round number. Counts get no fractions. */
export function ticks(most, wanted = 4, isCount = false) {
  if (!(most > 0)) return [0, 1];
  const rough = Math.max(most, isCount ? wanted : 0) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough * (1 - 1e-9)) ?? power * 10;
  if (isCount) step = Math.max(1, Math.ceil(step));
  const count = Math.max(1, Math.ceil(most / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, place) => Number((place * step).toPrecision(12)));
}

/** The indexes of the values that get a label, so that labels on an axis of `width` pixels do not overlap. */
export function labelPositions(count, width, apart = 64) {
  if (count < 1) return [];
  const every = Math.max(1, Math.ceil((count * apart) / Math.max(width, apart)));
  return Array.from({ length: count }, (_, place) => place).filter((place) => (count - 1 - place) % every === 0);
}
