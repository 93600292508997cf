import assert from "node:assert/strict";
import test from "node:test";
import { splitWords } from "../../../web/static/js/admin/records/split_words.js";

test("a name breaks before its capitals", () => {
  /** @type {[string, string[]][]} */
  const table = [
    ["GenericQueryProcessor", ["Generic", "Query", "Processor"]],
    ["GenAIQueryProcessor", ["Gen", "AIQuery", "Processor"]],
    ["synonyms.Synonym", ["synonyms.", "Synonym"]],
    ["set by SVC_PORT: 1", ["set by SVC_", "PORT: 1"]],
    ["plain", ["plain"]],
    ["", [""]],
  ];
  for (const [name, words] of table) assert.deepEqual(splitWords(name), words, name);
});
