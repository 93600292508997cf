// Splits a text of a result into parts. Matches are between `<em>` and `</em>`; everything else is plain text.

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

export function markedParts(text) {
  const parts = [];
  for (const [place, piece] of text.split(/<\/?em>/).entries()) {
    if (piece) parts.push({ text: decoded(piece), isMarked: place % 2 === 1 });
  }
  return parts;
}

const decoded = (text) => text.replace(/&(?:#(\d{1,7})|(\w{2,6}));/g, (whole, code, name) => (code ? character(Number(code)) : ENTITIES[name]) ?? whole);
const character = (code) => (code <= 0x10ffff ? String.fromCodePoint(code) : undefined);
