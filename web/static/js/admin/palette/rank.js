// Which entries of the palette match a text, the best first.

/** @typedef {{ name: string, detail?: string, href: string }} Entry */

/**
 * How well an entry matches; smaller is better, and infinity means that it does not. Every word of the text must be in
 * the name or the detail.
 * @param {Entry} entry
 * @param {string} text in lower case
 */
function distance({ name, detail = "" }, text) {
  const lower = name.toLowerCase();
  if (lower === text) return 0;
  if (lower.startsWith(text)) return 1;
  const words = text.split(/\s+/).filter(Boolean);
  const starts = lower.split(/[^\p{L}\p{N}]+/u);
  if (words.every((word) => starts.some((start) => start.startsWith(word)))) return 2;
  if (words.every((word) => lower.includes(word))) return 3;
  const whole = `${lower} ${detail.toLowerCase()}`;
  return words.every((word) => whole.includes(word)) ? 4 : Infinity;
}

/**
 * The entries that match, the best first, at most `count`. An empty text matches all.
 * @template {Entry} T
 * @param {T[]} entries
 * @param {string} text
 * @param {number} count
 */
export function rank(entries, text, count) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return entries.slice(0, count);
  return entries
    .map((entry, place) => ({ entry, place, distance: distance(entry, wanted) }))
    .filter((one) => one.distance < Infinity)
    .sort((one, other) => one.distance - other.distance || one.place - other.place)
    .slice(0, count)
    .map((one) => one.entry);
}
