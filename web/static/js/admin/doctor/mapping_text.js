// Reads the mappings of a provider as text, and keeps what the editor does not change.

/** Splits a text at its commas, except those in brackets and in templates such as `url='https://host/{id}, {part}'`. */
export function splitPieces(text) {
  const pieces = [];
  for (let rest = text.trim(); rest; ) {
    const end = pieceLength(rest);
    const piece = rest.slice(0, end).trim();
    if (piece) pieces.push(piece);
    rest = rest.slice(end + 1).trim();
  }
  return pieces;
}

/** A template ends at the first quote before a comma or at the end. */
const TEMPLATE = /^[^=,[]*=\s*'.*?'\s*(?=,|$)/s;

function pieceLength(text) {
  const template = TEMPLATE.exec(text);
  if (template) return template[0].length;
  let depth = 0;
  for (const [place, char] of [...text].entries()) {
    if (char === "[") depth += 1;
    else if (char === "]") depth -= 1;
    else if (char === "," && depth <= 0) return [...text].slice(0, place).join("").length;
  }
  return text.length;
}

/**
 * The mappings with these keys, and all other pieces. Of several with one key the first that has a value counts, as in
 * `a|b`; a template stays as it is.
 * @param {string} text
 * @param {string[]} keys
 */
export function readMappings(text, keys) {
  /** @type {Record<string, string>} */
  const known = {};
  /** @type {string[]} */
  const others = [];
  for (const piece of splitPieces(text)) {
    const at = piece.indexOf("=");
    const key = piece.slice(0, Math.max(at, 0)).trim();
    const value = piece.slice(at + 1).trim();
    if (!keys.includes(key)) others.push(piece);
    else if (!known[key]) known[key] = value;
    else if (known[key].startsWith("'") || value.startsWith("'")) others.push(piece);
    else known[key] += `|${value}`;
  }
  return { known, others };
}

/** The text of mappings, followed by other pieces. */
export const joinMappings = (text, others) => [text, ...others].filter(Boolean).join(",");
