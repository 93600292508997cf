// Which results can be added without moving others. Pure arithmetic on keys.

/**
 * `shown` are the keys on the page, `order` is the current order. Returns `below`, the keys that can be added at the end
 * because they rank below all that are shown, and `better`, the number of results that would have to be inserted above.
 */
export function growth(shown, order) {
  const places = shown.map((key) => order.indexOf(key));
  // A result that is no longer in the order ranks below all others.
  const last = places.includes(-1) ? order.length : Math.max(-1, ...places);
  const known = new Set(shown);
  return { below: order.slice(last + 1), better: order.slice(0, Math.max(0, last)).filter((key) => !known.has(key)).length };
}
