import assert from "node:assert/strict";
import test from "node:test";
import { processorWords, splitWords } from "../../../web/static/js/admin/records/split_words.js";

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

test("the name of a processor becomes words", () => {
  for (const [name, words] of [
    ["DedupeByFieldPostResultProcessor", "Dedupe by field"],
    ["GenAIQueryProcessor", "Gen AI"],
    ["MappingResultProcessor", "Mapping"],
    ["MyRivers.synonym", "MyRivers.synonym"],
    ["Processor", "Processor"],
  ]) assert.equal(processorWords(name), words);
});
