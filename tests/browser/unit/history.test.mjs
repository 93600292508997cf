// Equal searches of the history as one line.

import assert from "node:assert/strict";
import { test } from "node:test";
import { foldEqual } from "../../../web/static/js/history/fold.js";

const search = (id, query, sources = []) => ({ id, query_string: query, searchprovider_list: sources });

test("equal searches are one line", () => {
  const searches = [search(6, "River"), search(5, "lake"), search(4, " river"), search(3, "river", [1]), search(2, "river"), search(1, "lake")];
  const folded = foldEqual(searches, ({ id }) => id === 2);
  const ids = folded.map((group) => [group.search.id, ...group.earlier.map((one) => one.id)]);
  assert.deepEqual(ids, [[6, 4], [5, 1], [3], [2]]);
  assert.deepEqual(foldEqual([], () => false), []);
});
