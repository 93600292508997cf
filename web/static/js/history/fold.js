// Equal searches as one line. Independent of the page.

const keyOf = (search) => JSON.stringify([search.query_string.trim().toLowerCase(), search.searchprovider_list]);

/** Groups of equal searches, `{ search, earlier }`, in the order of the first of each. One with `isKept` is a group of its own. */
export function foldEqual(searches, isKept) {
  const groups = new Map();
  for (const search of searches) {
    const key = isKept(search) ? search.id : keyOf(search);
    if (groups.has(key)) groups.get(key).earlier.push(search);
    else groups.set(key, { search, earlier: [] });
  }
  return [...groups.values()];
}
