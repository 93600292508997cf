// API documentation: operations, types, examples, requests and Markdown, for small documents and for the real one.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { exampleOf } from "../../../web/static/js/api_docs/example.js";
import { readBlocks, readSpans } from "../../../web/static/js/api_docs/markdown.js";
import { acceptedTypes, filterGroups, readGroups } from "../../../web/static/js/api_docs/operations.js";
import { curlOf, missingValues, noValues, requestOf } from "../../../web/static/js/api_docs/request.js";
import { lookUp, nestedShape, rangesOf, shapeOf, typeName, valuesOf } from "../../../web/static/js/api_docs/schema.js";

const REAL = JSON.parse(readFileSync(new URL("../../../docs/api/openapi.json", import.meta.url), "utf8"));
const NODE = { type: "object", required: ["name"], properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/components/schemas/Node" } } } };
const SOURCE = {
  components: {
    schemas: {
      Node: NODE,
      Color: { type: "string", enum: ["red", "green"] },
      Reason: { oneOf: [{ type: "string", enum: ["pinned"], description: "Chosen." }, { type: "string", const: "elected" }] },
      Loop: { $ref: "#/components/schemas/Loop" },
      Both: { allOf: [{ $ref: "#/components/schemas/Node" }, { type: "object", required: ["size"], properties: { size: { type: "integer", minimum: 3 } } }] },
      Endless: { oneOf: [{ $ref: "#/components/schemas/Endless" }, { type: "array", items: { $ref: "#/components/schemas/Endless" } }] },
      "a/b": { type: "boolean" },
    },
  },
};
const to = (name) => ({ $ref: `#/components/schemas/${name}` });

test("types have short names", () => {
  const table = [
    [{ type: "string" }, "string"],
    [{ type: ["integer", "null"], format: "int64" }, "integer | null"],
    [{ type: "string", format: "date-time" }, "date-time"],
    [{ type: "array", items: { type: ["string", "integer"] } }, "(string | integer)[]"],
    [{ type: "array", items: to("Node") }, "Node[]"],
    [{ oneOf: [{ type: "null" }, to("Node")] }, "Node | null"],
    [{ oneOf: [to("Node"), { type: "string" }] }, "Node | string"],
    [{ allOf: [to("Node")], description: "own" }, "Node"],
    [to("Both"), "Both"],
    [to("Color"), "string"],
    [to("Reason"), "string"],
    [to("a~1b"), "boolean"],
    [to("Unknown"), "any"],
    [{ type: "object", additionalProperties: true }, "object"],
    [{}, "any"],
    [undefined, "any"],
    [true, "any"],
  ];
  for (const [schema, expected] of table) assert.equal(typeName(SOURCE, schema), expected, JSON.stringify(schema));
});

test("references, parts and options are read, and those without an end do end", () => {
  assert.equal(lookUp(SOURCE, "#/components/schemas/a~1b").type, "boolean");
  assert.equal(lookUp(SOURCE, "#/components/constructor"), undefined);
  const both = shapeOf(SOURCE, to("Both"));
  assert.deepEqual([Object.keys(both.schema.properties), both.schema.required], [["name", "children", "size"], ["name", "size"]]);
  const own = shapeOf(SOURCE, { oneOf: [to("Node"), { type: "null" }], description: "own", default: null });
  assert.deepEqual([own.name, own.isNullable, own.schema.description], ["Node", true, "own"]);
  assert.deepEqual(shapeOf(SOURCE, { ...to("Color"), default: "red" }).schema.default, "red");
  for (const name of ["Loop", "Endless"]) {
    assert.ok(typeName(SOURCE, to(name)), name);
    assert.doesNotThrow(() => JSON.stringify(exampleOf(SOURCE, to(name), true)), name);
    nestedShape(SOURCE, to(name));
  }
});

test("allowed values and limits are listed", () => {
  assert.deepEqual(valuesOf(SOURCE, shapeOf(SOURCE, to("Color"))).map(({ value }) => value), ["red", "green"]);
  assert.deepEqual(valuesOf(SOURCE, shapeOf(SOURCE, to("Reason"))), [{ value: "pinned", description: "Chosen." }, { value: "elected", description: "" }]);
  assert.deepEqual(valuesOf(SOURCE, shapeOf(SOURCE, { oneOf: [to("Node"), to("Color")] })), []);
  assert.deepEqual(rangesOf({ minimum: 0, maximum: 9, minLength: 0, maxLength: 5, minItems: 1 }), [
    { kind: "value", from: 0, to: 9 }, { kind: "characters", from: undefined, to: 5 }, { kind: "items", from: 1, to: undefined },
  ]);
  assert.deepEqual(rangesOf({ minLength: 0 }), []);
});

test("fields are found inside lists, options and maps", () => {
  assert.equal(nestedShape(SOURCE, { type: "array", items: { type: "array", items: to("Node") } })?.name, "Node");
  assert.equal(nestedShape(SOURCE, { oneOf: [{ type: "string" }, to("Node")] })?.options.length, 2);
  assert.ok(nestedShape(SOURCE, { type: "object", additionalProperties: to("Node") }));
  for (const schema of [{ type: "string" }, to("Color"), to("Reason"), { type: "array", items: { type: "string" } }, { type: "object", additionalProperties: true }, {}]) {
    assert.equal(nestedShape(SOURCE, schema), null, JSON.stringify(schema));
  }
});

test("examples have the required fields, in responses all fields", () => {
  /** @type {[any, boolean, any][]} */
  const table = [
    [to("Node"), false, { name: "string" }],
    [to("Node"), true, { name: "string", children: [{}] }],
    [to("Both"), true, { name: "string", children: [{ name: "string", children: [{}] }], size: 3 }],
    [{ type: "object", properties: { a: { type: "string", example: "x" }, b: { type: "string" } } }, false, { a: "x" }],
    [{ type: "object", properties: { a: { type: "boolean" }, b: { default: 7 } } }, false, { a: true, b: 7 }],
    [{ type: "object", additionalProperties: { type: "integer" } }, true, { name: 1 }],
    [to("Reason"), true, "pinned"],
    [{ type: ["string", "null"], format: "date" }, true, "2025-05-01"],
    [{ type: "array", items: to("Color") }, true, ["red"]],
  ];
  for (const [schema, isWhole, expected] of table) assert.deepEqual(exampleOf(SOURCE, schema, isWhole), expected, JSON.stringify(schema));
});

const GROUPS = readGroups(REAL, "/api/svc");
const OPERATIONS = GROUPS.flatMap((group) => group.operations);

test("every operation of the real document is read", () => {
  const count = Object.values(REAL.paths).reduce((sum, item) => sum + Object.keys(item).length, 0);
  assert.equal(OPERATIONS.length, count);
  assert.equal(new Set(OPERATIONS.map(({ id }) => id)).size, count);
  assert.deepEqual(GROUPS.map(({ name }) => name), REAL.tags.map(({ name }) => name));
  for (const operation of OPERATIONS) {
    assert.ok(operation.summary && operation.responses.length, operation.id);
    assert.ok(!operation.path.startsWith("/svc/"), operation.path);
    for (const [, response] of operation.responses) {
      for (const media of Object.values(response.content ?? {})) checkSchema(media.schema, operation.id);
    }
    for (const media of Object.values(operation.body?.content ?? {})) checkSchema(media.schema, operation.id);
    for (const parameter of operation.parameters) assert.ok(typeName(REAL, parameter.schema), `${operation.id} ${parameter.name}`);
  }
});

function checkSchema(schema, what) {
  assert.ok(typeName(REAL, schema), what);
  nestedShape(REAL, schema);
  for (const isWhole of [true, false]) assert.ok(JSON.stringify(exampleOf(REAL, schema, isWhole)).length < 50_000, what);
}

test("operations are found by method, path, id and summary", () => {
  const ids = (text) => filterGroups(GROUPS, text).flatMap((group) => group.operations.map(({ id }) => id));
  assert.ok(ids("POST search/").includes("create_search"));
  assert.ok(!ids("post search/").includes("read_search"));
  assert.deepEqual(ids("create_search "), ["create_search", "create_searchproviders"]);
  assert.deepEqual(ids("no such operation"), []);
  assert.equal(ids("").length, OPERATIONS.length);
});

const operation = (id) => OPERATIONS.find((one) => one.id === id);

test("a filled form becomes a request and a curl command", () => {
  const values = noValues();
  assert.deepEqual(missingValues(operation("export_results"), values), ["search_id", "format"]);
  Object.assign(values, { path: { id: "a b/c?" }, query: { q: "it's & more", page: "" }, header: { "If-Match": '"3"' }, body: '{"a": "it\'s"}' });
  const request = requestOf(operation("change_search"), values);
  assert.deepEqual(request, {
    method: "PATCH",
    url: "/api/svc/search/a%20b%2Fc%3F/?q=it's%20%26%20more",
    headers: { accept: "application/json", "content-type": "application/json", "If-Match": '"3"' },
    body: '{"a": "it\'s"}',
  });
  assert.equal(
    curlOf(request, "https://find.example", true),
    [
      "curl -X PATCH 'https://find.example/api/svc/search/a%20b%2Fc%3F/?q=it'\\''s%20%26%20more'",
      "-H 'Authorization: Token …'",
      "-H 'Accept: application/json'",
      "-H 'Content-Type: application/json'",
      "-H 'If-Match: \"3\"'",
      "-d '{\"a\": \"it'\\''s\"}'",
    ].join(" \\\n  "),
  );
  assert.doesNotMatch(curlOf(requestOf(operation("live"), noValues()), "", false), /Authorization|-X/);
});

test("path parameters are required, and dots do not lead to another path", () => {
  /** @type {[string, string[]][]} */
  const table = [["", ["id"]], [".", ["id"]], ["..", ["id"]], ["7", []]];
  for (const [id, missing] of table) {
    assert.deepEqual(missingValues(operation("read_search"), { ...noValues(), path: { id } }), missing, id);
  }
});

test("the types of successful responses can be chosen", () => {
  assert.ok(acceptedTypes(operation("export_results")).includes("text/csv"));
  assert.deepEqual(acceptedTypes(operation("delete_search")), ["application/json"]);
});

test("Markdown becomes blocks and spans", () => {
  assert.deepEqual(readBlocks("one\ntwo\n\n- `a`\n- b\n  c\n\n```\n<b>\n```\nend"), [
    { kind: "paragraph", spans: [{ kind: "text", text: "one two" }] },
    { kind: "list", items: [[{ kind: "code", text: "a" }], [{ kind: "text", text: "b c" }]] },
    { kind: "code", text: "<b>" },
    { kind: "paragraph", spans: [{ kind: "text", text: "end" }] },
  ]);
  assert.deepEqual(readBlocks(undefined), []);
  assert.deepEqual(readSpans("**bold** and `***`"), [{ kind: "strong", text: "bold" }, { kind: "text", text: " and " }, { kind: "code", text: "***" }]);
  assert.deepEqual(readSpans("``a ` b``"), [{ kind: "code", text: "a ` b" }]);
});

test("links lead to the web or to this site, other addresses stay text", () => {
  for (const href of ["https://a.example/", "http://a.example", "/account/", "#read_search"]) {
    assert.deepEqual(readSpans(`[x](${href})`), [{ kind: "link", text: "x", href }]);
  }
  for (const href of ["javascript:alert", "//a.example", "/\\a.example", "data:text/html,x", "mailto:a@a.example"]) {
    assert.deepEqual(readSpans(`[x](${href})`).map(({ kind }) => kind), ["text"], href);
  }
});
