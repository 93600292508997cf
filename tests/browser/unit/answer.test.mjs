// Progress of an answer, events of a chat, and the position of a floating card.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cardPosition } from "../../../web/static/js/answer/card_position.js";
import { STAGES, applyEvent, initialState, positionOf, stripMarkdown } from "../../../web/static/js/answer/progress.js";
import * as stream from "../../../web/static/js/chat/stream.js";

test("events move an answer through its stages", () => {
  let state = initialState();
  /** @type {[string, object, object][]} */
  const steps = [
    ["status", { stage: "reading", done: 3, of: 10 }, { stage: "reading", done: 3, of: 10 }],
    ["status", { stage: "dancing" }, { stage: "reading", done: 3 }],
    ["source", { n: 1 }, { sources: 1 }],
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

test("Markdown is removed from an unfinished answer", () => {
  const cases = [
    ["**Bold** and __bold__", "Bold and bold"],
    ["# Title\n- one\n* two", "Title\n• one\n• two"],
    ["It rose.[1] [2]", "It rose. [1] [2]"],
    ["<b>stays</b> 2 * 3", "<b>stays</b> 2 * 3"],
    ["it is *very* cold, `-10` and _colder_.", "it is very cold, -10 and colder."],
    ["a*b*c snake_case_name *open", "a*b*c snake_case_name *open"],
  ];
  for (const [text, expected] of cases) assert.equal(stripMarkdown(text), expected);
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
