// Makes an example value from a schema.

import { isObject, shapeOf, valuesOf } from "./schema.js";

const DEPTH_MAX = 7;
/** Shown of an object in a request that has neither required fields nor fields with examples. */
const FIELDS_OF_OPTIONAL = 3;
const FORMATS = {
  "date-time": "2025-05-01T12:00:00Z",
  date: "2025-05-01",
  uri: "https://example.com/",
  email: "ann@example.com",
  uuid: "123e4567-e89b-12d3-a456-426614174000",
};

/**
 * An example of what a request sends or, with `isWhole`, of a response, which has all fields.
 * @param {any} source the OpenAPI document
 */
export function exampleOf(source, given, isWhole = false, path = []) {
  const shape = shapeOf(source, given);
  const { schema, options, types, name } = shape;
  const [first] = schema.examples ?? [];
  const candidates = [schema.example, first, schema.default ?? undefined, valuesOf(source, shape)[0]?.value];
  const known = candidates.find((value) => value !== undefined);
  if (known !== undefined) return known;
  if (path.length > DEPTH_MAX || (name && path.includes(name))) return isObject(shape) ? {} : null;
  const inside = [...path, name];
  if (options.length) return exampleOf(source, options[0], isWhole, inside);
  if (isObject(shape)) return exampleObject(source, schema, isWhole, inside);
  if (types.includes("array")) return schema.items ? [exampleOf(source, schema.items, isWhole, inside)] : [];
  return exampleValue(schema, types, shape.isNullable);
}

function exampleObject(source, schema, isWhole, path) {
  const fields = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required ?? []);
  let chosen = isWhole ? fields : fields.filter(([name, field]) => required.has(name) || field.example !== undefined);
  if (!chosen.length) chosen = fields.slice(0, FIELDS_OF_OPTIONAL);
  const example = Object.fromEntries(chosen.map(([name, field]) => [name, exampleOf(source, field, isWhole, path)]));
  const other = schema.additionalProperties;
  return fields.length || !other || other === true ? example : { name: exampleOf(source, other, isWhole, path) };
}

function exampleValue(schema, types, isNullable) {
  if (types.includes("string")) return FORMATS[schema.format] ?? "string";
  if (types.includes("integer") || types.includes("number")) return schema.minimum > 0 ? schema.minimum : 1;
  if (types.includes("boolean")) return true;
  return isNullable || !types.length ? null : "string";
}
