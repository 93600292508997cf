// Results that may be added while a search runs, and texts with marked matches.

import assert from "node:assert/strict";
import { test } from "node:test";
import { markedParts } from "../../../web/static/js/search/marked_text.js";
import { growth } from "../../../web/static/js/search/order.js";

const keys = (text) => [...text];

test("results that rank below are added, better ones wait", () => {
  const table = [
    ["", "abc", "abc", 0],
    ["abc", "abc", "", 0],
    ["ab", "abcd", "cd", 0],
    ["ab", "xaby", "y", 1],
    ["ab", "xayb", "", 2],
    // The shown results may be in another order; they are not moved.
    ["ba", "abc", "c", 0],
    // A shown result that left the page ranks below all others, so nothing can be added after it.
    ["abz", "xyab", "", 2],
    ["ab", "", "", 0],
  ];
  for (const [shown, order, below, better] of table) {
    assert.deepEqual(growth(keys(shown), keys(order)), { below: keys(below), better }, `${shown} in ${order}`);
  }
});

test("matches in a text are marked, and everything else is text", () => {
  const table = [
    ["", ""],
    ["a river", "a river"],
    ["a <em>river</em> and <em>level</em>", "a [river] and [level]"],
    ["<em>river</em>", "[river]"],
    ["&lt;b&gt; &amp;amp; &quot;x&quot; &#39;y&#39; &unknown;", "<b> &amp; \"x\" 'y' &unknown;"],
    ["&#99999999; &#1114112;", "&#99999999; &#1114112;"],
    ["a <script>b</script>", "a <script>b</script>"],
  ];
  for (const [text, expected] of table) {
    const shown = markedParts(text).map((part) => (part.isMarked ? `[${part.text}]` : part.text));
    assert.equal(shown.join(""), expected, text);
  }
});
