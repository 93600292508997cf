// Reasons for the choice of a version: every code of the API has a sentence.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

globalThis.document = /** @type {any} */ ({ documentElement: { lang: "en" } });
const { reasonTexts } = await import("../../../web/static/js/versions/grounds.js");

const textOf = (ground) => reasonTexts({ grounds: [ground], reasons: ["text of the API"] })[0];

test("every reason has a sentence", () => {
  const cases = [
    [{ code: "below_least", relevance: 0.05, least: 0.1 }, "Its confidence of 0.05 is below the minimum of 0.1."],
    [{ code: "below_share", relevance: 0.2, least: 0.54, share: 0.6 }, "Its confidence of 0.2 is below 0.54, 60% of the best."],
    [{ code: "gone" }, "The source reports that it no longer exists."],
    [{ code: "authority_configured" }, "An authority is configured for its source."],
    [{ code: "source_kind", kind: "dms" }, "Its source is a document management system."],
    [{ code: "name", stages: ["final", "copy"], is_numbered_copy: true, version: "2.1" }, "Its name contains “final”, “copy”, a copy number in parentheses, version 2.1."],
    [{ code: "name", stages: [], is_numbered_copy: false, version: "3" }, "Its name contains version 3."],
    [{ code: "newest" }, "There is no newer version."],
    [{ code: "older", days: 1 }, "It is one day older than the newest version."],
    [{ code: "older", days: 90.5 }, "It is 90.5 days older than the newest version."],
    [{ code: "date_ahead" }, "Its date is in the future and is ignored."],
    [{ code: "date_unknown" }, "Its date is unknown."],
    [{ code: "format", format: "slides_or_table" }, "It is a presentation or a spreadsheet."],
    [{ code: "shared_outside" }, "It was sent outside the organization."],
    [{ code: "pinned_elsewhere" }, "It is pinned for another query."],
    [{ code: "rejected" }, "It was rejected for this query."],
    [{ code: "rejected_elsewhere", times: 1 }, "It was rejected for another query."],
    [{ code: "rejected_elsewhere", times: 3 }, "It was rejected for 3 other queries."],
    [{ code: "said", text: "text of the API" }, "text of the API"],
    [{ code: "of_tomorrow" }, "text of the API"],
    [{ code: "source_kind", kind: "of_tomorrow" }, "text of the API"],
  ];
  for (const [ground, sentence] of cases) assert.equal(textOf(ground), sentence);
});

test("every code, kind and format of the API is translated", () => {
  const { schemas } = JSON.parse(readFileSync(new URL("../../../docs/api/openapi.json", import.meta.url), "utf8")).components;
  const codes = schemas.CanonicalReason.oneOf.map((one) => one.properties?.code?.enum?.[0] ?? one.allOf?.at(-1).properties.code.enum[0]);
  assert.ok(codes.length >= 15);
  const values = { relevance: 0, least: 0, share: 0, stages: [], version: "1", days: 2, times: 2, kind: "web", format: "pdf" };
  const isUntranslated = (ground) => textOf(ground) === "text of the API";
  assert.deepEqual(codes.filter((code) => code !== "said" && isUntranslated({ ...values, code })), []);
  assert.deepEqual(schemas.SourceKind.enum.filter((kind) => isUntranslated({ code: "source_kind", kind })), []);
  assert.deepEqual(schemas.FormatKind.enum.filter((format) => isUntranslated({ code: "format", format })), []);
});
