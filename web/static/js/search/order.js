// Which results can be added without moving others. Pure arithmetic on keys.

/**
 * `shown` are the keys on the page, `order` is the right order of the page now. `below` may be added at the end: they
 * rank below all that is shown. `better` is the number of those that would have to stand further up.
 */
export function growth(shown, order) {
  const places = shown.map((key) => order.indexOf(key));
  // One that is no longer on the page ranks below all that are.
  const last = places.includes(-1) ? order.length : Math.max(-1, ...places);
  const known = new Set(shown);
  return { below: order.slice(last + 1), better: order.slice(0, Math.max(0, last)).filter((key) => !known.has(key)).length };
}
