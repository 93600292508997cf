// Citations in the order of reading. The server does this for the finished answer (crates/rag/src/prose).

/** Numbers the citations of an unfinished text: the source that is cited first is 1. `known` are the numbers of sources. */
export function numberCitations(text, known = undefined) {
  const order = [];
  return text.replace(/\[(\d{1,9})\]/g, (whole, digits) => {
    const earlier = Number(digits);
    if (known && !known.includes(earlier)) return whole;
    if (!order.includes(earlier)) order.push(earlier);
    return `[${order.indexOf(earlier) + 1}]`;
  });
}
