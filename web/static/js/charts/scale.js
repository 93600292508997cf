// Round numbers for axes, and linear scales.

/** About `count` round ticks that cover all values between `least` and `most`. */
export function ticks(least, most, count = 5) {
  if (!(most > least)) {
    const around = Math.abs(least) || 1;
    return ticks(least - around / 2, most + around / 2, count);
  }
  const rough = (most - least) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999);
  const first = Math.floor(least / step + 1e-9);
  const last = Math.ceil(most / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, place) => round((first + place) * step));
}

/** Removes rounding errors of binary fractions. */
const round = (number) => Number(number.toPrecision(12));

/** Maps values between `least` and `most` to positions between `from` and `to`. */
export const linear = (least, most, from, to) => (value) =>
  most === least ? (from + to) / 2 : from + ((value - least) / (most - least)) * (to - from);
