// Reads the schemas of an OpenAPI 3.1 document: references, combined and nullable schemas, names of types, limits.

/** References to references end here. */
const REFERENCES_MAX = 20;
/** Options within options and lists within lists end here. */
const DEPTH_MAX = 5;
/** These formats say nothing that the type does not say. */
const PLAIN_FORMATS = new Set(["int32", "int64", "float", "double"]);

/**
 * A schema without references: `name` is that of its component, `types` are without `null`, `options` are those of
 * `oneOf` or `anyOf`.
 * @typedef {{ name: string, types: string[], isNullable: boolean, options: any[], schema: any }} Shape
 */

/** What a reference such as `#/components/schemas/Search` refers to. */
export function lookUp(source, reference) {
  const steps = String(reference).split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return steps.reduce((value, step) => (Object.hasOwn(value ?? {}, step) ? value[step] : undefined), source);
}

/** A schema without its reference. Values beside the reference take precedence. */
function follow(source, given) {
  let schema = given && typeof given === "object" ? given : {};
  let name = "";
  for (let left = REFERENCES_MAX; schema.$ref && left > 0; left--) {
    const { $ref, ...beside } = schema;
    name ||= $ref.split("/").pop();
    schema = { ...lookUp(source, $ref), ...beside };
  }
  return { name, schema };
}

/**
 * @param {any} source the OpenAPI document
 * @returns {Shape}
 */
export function shapeOf(source, given, depth = 0) {
  const { name, schema } = follow(source, given);
  if (depth > REFERENCES_MAX) return { name, types: [], isNullable: false, options: [], schema: {} };
  if (schema.allOf) return mergeParts(source, name, schema, depth);
  const all = schema.oneOf ?? schema.anyOf ?? [];
  const options = all.filter((one) => one?.type !== "null");
  if (options.length === 1) {
    const { oneOf, anyOf, ...beside } = schema;
    const inner = shapeOf(source, options[0], depth + 1);
    const isNullable = inner.isNullable || options.length < all.length;
    return { ...inner, name: name || inner.name, isNullable, schema: { ...inner.schema, ...beside } };
  }
  const types = [schema.type ?? []].flat();
  const isNullable = types.includes("null") || options.length < all.length;
  return { name, types: types.filter((type) => type !== "null"), isNullable, options, schema };
}

/** A schema with all of its parts. */
function mergeParts(source, name, { allOf, ...own }, depth) {
  const shapes = [...allOf, own].map((part) => shapeOf(source, part, depth + 1));
  const schemas = shapes.map((shape) => shape.schema);
  const schema = Object.assign({}, ...schemas, {
    properties: Object.assign({}, ...schemas.map((one) => one.properties)),
    required: schemas.flatMap((one) => one.required ?? []),
  });
  return {
    name: name || (allOf.length === 1 ? shapes[0].name : ""),
    types: [...new Set(shapes.flatMap((shape) => shape.types))],
    isNullable: shapes.slice(0, -1).every((shape) => shape.isNullable),
    options: shapes.flatMap((shape) => shape.options),
    schema,
  };
}

/** The name of a type, such as `Result[]`, `string | null` or `date-time`. */
export function typeName(source, given, depth = 0) {
  const shape = shapeOf(source, given);
  const name = depth > DEPTH_MAX ? "any" : plainName(source, shape, depth);
  return shape.isNullable ? `${name} | null` : name;
}

function plainName(source, shape, depth) {
  const { types, options, schema } = shape;
  if (valuesOf(source, shape).length && !types.length) return "string";
  if (options.length) return [...new Set(options.map((one) => typeName(source, one, depth + 1)))].join(" | ");
  if (types.includes("array") && types.length === 1) {
    const item = typeName(source, schema.items, depth + 1);
    return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
  }
  if (isObject(shape)) return [shape.name || "object", ...types.filter((type) => type !== "object")].join(" | ");
  const name = types.join(" | ") || "any";
  return schema.format && !PLAIN_FORMATS.has(schema.format) && name === "string" ? schema.format : name;
}

/** Whether values of this shape are objects. */
export const isObject = ({ types, schema }) => types.includes("object") || Object.keys(schema.properties ?? {}).length > 0;

/**
 * The values of a shape that are allowed, with their descriptions.
 * @returns {{ value: any, description: string }[]}
 */
export function valuesOf(source, { options, schema }) {
  if (schema.const !== undefined) return [{ value: schema.const, description: "" }];
  if (schema.enum) return schema.enum.map((value) => ({ value, description: "" }));
  const found = options.map((option) => {
    const { schema: inner } = shapeOf(source, option);
    const values = inner.const === undefined ? (inner.enum ?? []) : [inner.const];
    return values.map((value) => ({ value, description: inner.description ?? "" }));
  });
  return found.every((values) => values.length) ? found.flat() : [];
}

/**
 * What has fields of its own in a schema: an object, the items of a list, the options. Null if nothing has.
 * @returns {Shape | null}
 */
export function nestedShape(source, given, depth = 0) {
  if (depth > DEPTH_MAX) return null;
  let shape = shapeOf(source, given);
  for (let left = REFERENCES_MAX; shape.types.includes("array") && shape.schema.items && left > 0; left--) {
    shape = shapeOf(source, shape.schema.items);
  }
  if (shape.options.length && !valuesOf(source, shape).length) {
    return shape.options.some((option) => nestedShape(source, option, depth + 1)) ? shape : null;
  }
  const { properties, additionalProperties: other } = shape.schema;
  const hasFields = Object.keys(properties ?? {}).length > 0;
  return hasFields || (other && nestedShape(source, other, depth + 1)) ? shape : null;
}

/** @typedef {{ kind: "value" | "characters" | "items" | "fields", from?: number, to?: number }} Range */

/**
 * The smallest and largest values, lengths and counts.
 * @returns {Range[]}
 */
export function rangesOf(schema) {
  /** @type {[Range["kind"], any, any][]} */
  const table = [
    ["value", schema.minimum, schema.maximum],
    ["characters", schema.minLength, schema.maxLength],
    ["items", schema.minItems, schema.maxItems],
    ["fields", schema.minProperties, schema.maxProperties],
  ];
  return table
    .filter(([kind, from, to]) => (kind === "value" ? from !== undefined : from > 0) || to !== undefined)
    .map(([kind, from, to]) => ({ kind, from: kind === "value" || from > 0 ? from : undefined, to }));
}
