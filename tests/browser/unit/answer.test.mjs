// Progress of an answer, events of a chat, and the position of a floating card.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cardPosition } from "../../../web/static/js/answer/card_position.js";
import { numberCitations } from "../../../web/static/js/answer/citation_order.js";
import { stripMarkdown } from "../../../web/static/js/answer/markdown.js";
import { filterOf, isFirstPage } from "../../../web/static/js/answer/place.js";
import { STAGES, applyEvent, initialState, positionOf } from "../../../web/static/js/answer/progress.js";
import * as stream from "../../../web/static/js/chat/stream.js";

test("events move an answer through its stages", () => {
  let state = initialState();
  /** @type {[string, object, object][]} */
  const steps = [
    ["status", { stage: "reading", done: 3, of: 10 }, { stage: "reading", done: 3, of: 10 }],
    ["status", { stage: "dancing" }, { stage: "reading", done: 3 }],
    ["source", { n: 1 }, { sources: [{ n: 1 }] }],
    ["status", { stage: "writing" }, { stage: "writing", done: 0, of: 0 }],
    ["delta", { text: "It " }, { text: "It " }],
    ["delta", { text: "rose." }, { text: "It rose." }],
    ["citations", { sources: [] }, { text: "It rose.", end: null }],
    ["done", {}, { end: "done" }],
  ];
  for (const [event, data, expected] of steps) {
    state = applyEvent(state, event, data);
    assert.deepEqual({ ...state, ...expected }, state, event);
  }
  const failed = applyEvent(initialState(), "error", { code: "rag_timeout", message: "Too long." });
  assert.deepEqual([failed.end, failed.code, failed.message], ["failed", "rag_timeout", "Too long."]);
});

test("a stage is past, now or next", () => {
  assert.deepEqual(STAGES.map((stage) => positionOf(stage, "reading")), ["past", "past", "now", "next", "next"]);
});

test("citations are numbered in the order of reading", () => {
  const cases = [
    ["It rose [5] [2]. It fell [5].", undefined, "It rose [1] [2]. It fell [1]."],
    ["It rose [5] [9] [2", [2, 5], "It rose [1] [9] [2"],
    ["[sic] [2024-05-01]", undefined, "[sic] [2024-05-01]"],
  ];
  for (const [text, known, expected] of cases) assert.equal(numberCitations(text, known), expected);
});

test("the filter of a list is in its URL", () => {
  const cases = [
    ["?search_id=7&q=river&sort=DateMixer&page=2&rag=true", "", false],
    ["?search_id=7&author=&page=1", "", true],
    ["?search_id=7&starred=true&providers=4", "providers=4&starred=true", true],
    ["", "", true],
  ];
  for (const [query, ...expected] of cases) assert.deepEqual([filterOf(query), isFirstPage(query)], expected);
});

test("Markdown is removed from an unfinished answer", () => {
  const cases = [
    ["# Title\n- one\n* two", "Title\n• one\n• two"],
    ["It rose.[1] [2]", "It rose. [1] [2]"],
    ["it is *very* cold, `-10` and _colder_.", "it is very cold, -10 and colder."],
    ["a*b*c snake_case_name 2 * 3", "a*b*c snake_case_name 2 * 3"],
    ["**open and `open", "open and open"],
    ["\u202egnp.exe", "gnp.exe"],
    // Rows arrive one by one, and the last one may not be complete.
    ["| a | **b** |", "a\tb"],
    ["| a | b |\n|-", "a\tb"],
    ["| a | b |\n|---|---|\n| 1 [1] | <b>2", "a\tb\n1 [1]\t<b>2"],
    ["```js\nlet a = **", "let a = **"],
  ];
  for (const [text, expected] of cases) assert.equal(stripMarkdown(text), expected);
});

test("an unfinished answer has the words of the finished one", () => {
  const cases = JSON.parse(readFileSync(new URL("prose_cases.json", import.meta.url), "utf8"));
  const joined = (text) => text.replace(/^\s*• /gm, "").replace(/\s/g, "");
  for (const { markdown, words } of cases) assert.equal(joined(stripMarkdown(markdown)), joined(words));
});

test("text that arrives never takes words back", () => {
  const cases = JSON.parse(readFileSync(new URL("prose_cases.json", import.meta.url), "utf8"));
  const joined = (text) => text.replace(/[^\p{L}\p{N}]/gu, "");
  for (const { markdown } of cases) {
    // Whole lines: the name of a language is hidden when its fence is complete.
    const all = joined(stripMarkdown(markdown));
    const lines = markdown.split("\n");
    for (let count = 1; count <= lines.length; count++) {
      const some = joined(stripMarkdown(lines.slice(0, count).join("\n")));
      assert.ok(all.startsWith(some), `${some} of ${all}`);
    }
  }
});

test("text of a round with a tool call is discarded", () => {
  let state = stream.initialState();
  const apply = (event, data) => (state = stream.applyEvent(state, event, data));
  apply("status", { stage: "asking", round: 1 });
  apply("delta", { round: 1, text: "Let me look." });
  apply("tool", { name: "search", args: { query: "dams" } });
  assert.deepEqual([state.text, state.doing, state.query], ["", "search", "dams"]);
  apply("tool", { name: "search", args: { query: "dams" }, took: 0.4 });
  assert.deepEqual(state.tools, [{ name: "search", query: "dams", took: 0.4 }]);
  apply("status", { stage: "asking", round: 2 });
  apply("delta", { round: 2, text: "The town" });
  apply("delta", { round: 2, text: " owns it." });
  assert.equal(state.text, "The town owns it.");
  apply("delta", { round: 3, text: "Again" });
  assert.equal(state.text, "Again");
  apply("done", { id: 5 });
  assert.deepEqual([state.end, state.message.id], ["done", 5]);
});

test("a card stays in its box and in the window", () => {
  const box = { left: 100, right: 700, top: 50 };
  const size = { width: 360, height: 120 };
  const at = (left, top) => ({ left, width: 18, top, bottom: top + 18 });
  assert.deepEqual(cardPosition(at(400, 100), box, size, 800), { left: 129, top: 76, isBelow: true });
  assert.equal(cardPosition(at(110, 100), box, size, 800).left, 8, "not beyond the left edge");
  assert.equal(cardPosition(at(690, 100), box, size, 800).left, 232, "not beyond the right edge");
  assert.deepEqual(cardPosition(at(400, 700), box, size, 800), { left: 129, top: 522, isBelow: false });
  assert.equal(cardPosition(at(400, 60), box, size, 150).isBelow, true, "below if neither side fits");
});
