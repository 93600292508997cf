// Initials that stand for a source, the same as on pages that the server renders.

/** The first character of each of the first two words of a name, or the first two of a number, in capitals. */
export function initials(name) {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const first = (word) => [...word].slice(0, /^\d+$/.test(word) ? 2 : 1).join("");
  return words.slice(0, 2).map(first).join("").toUpperCase();
}
