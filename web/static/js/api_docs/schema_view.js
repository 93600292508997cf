// Shows a schema: its fields with types, limits and descriptions. The fields of an inner object are folded.

import { h } from "../dom.js";
import { number, t, tn } from "../i18n.js";
import { line } from "./prose.js";
import { isObject, nestedShape, rangesOf, shapeOf, typeName, valuesOf } from "./schema.js";

/** More values than these are folded. */
const VALUES_SHOWN = 12;

/** The fields of a schema, or its limits if it has no fields. `source` is the OpenAPI document. */
export function schemaView(source, schema) {
  const nested = nestedShape(source, schema);
  return h("div", { class: "schema" }, nested ? inside(source, nested, true) : limits(source, schema));
}

/** A line with the name of a schema's type. */
export const typeLine = (source, schema) => h("code", { class: "type" }, typeName(source, schema));

/** The name of a field or parameter, which breaks after an underscore. */
export const fieldName = (name) => h("code", { class: "field-name" }, name.split(/(?<=_)/).map((part) => [h("wbr"), part]));

/** @param {import("./schema.js").Shape} shape */
function inside(source, shape, isOpen = false) {
  if (shape.options.length) return options(source, shape, isOpen);
  const required = new Set(shape.schema.required ?? []);
  const rows = Object.entries(shape.schema.properties ?? {}).map(([name, field]) => row(source, fieldName(name), field, required.has(name)));
  const other = shape.schema.additionalProperties;
  if (other && other !== true && Object.keys(other).length) rows.push(row(source, h("span", { class: "field-name any" }, t("any name")), other, false));
  return h("ul", { class: "schema-fields" }, rows);
}

/** Of the outermost options, the first one is unfolded. */
function options(source, shape, isOpen) {
  const items = shape.options.map((option, place) => {
    const nested = nestedShape(source, option);
    const name = typeLine(source, option);
    return h("li", {}, nested ? fold(name, () => inside(source, nested), isOpen && place === 0) : name);
  });
  return [h("p", { class: "one-of" }, t("One of:")), h("ul", { class: "schema-fields" }, items)];
}

function row(source, name, field, isRequired) {
  const nested = nestedShape(source, field);
  const { schema } = shapeOf(source, field);
  const head = h("p", { class: "field-head" }, name, typeLine(source, field), isRequired && requiredBadge(), schema.deprecated && h("span", { class: "badge quiet" }, t("deprecated")));
  return h(
    "li",
    {},
    head,
    schema.description && h("p", { class: "field-about" }, line(schema.description)),
    limits(source, field),
    nested && fold(foldName(nested), () => inside(source, nested)),
  );
}

export const requiredBadge = () => h("span", { class: "badge required" }, t("required"));

/** @param {import("./schema.js").Shape} nested */
function foldName(nested) {
  if (nested.options.length) return tn("1 variant", "{n} variants", nested.options.length);
  const count = Object.keys(nested.schema.properties ?? {}).length;
  if (!count) return t("Values");
  return nested.name ? t("Fields of {name}", { name: nested.name }) : tn("1 field", "{n} fields", count);
}

/** Shows its content when it is opened first, so that schemas that contain themselves end. */
function fold(name, content, isOpen = false) {
  const element = h("details", { class: "schema-fold", open: isOpen }, h("summary", {}, name));
  element.addEventListener("toggle", () => element.children.length === 1 && element.append(...[content()].flat()));
  return element;
}

/** Limits, default, allowed values and an example of a value. */
export function limits(source, given) {
  const shape = shapeOf(source, given);
  const { schema } = shape;
  const facts = rangesOf(shape.types.includes("array") ? { ...schema, ...itemRanges(source, schema) } : schema).map(rangeText);
  if (schema.pattern) facts.push([`${t("pattern:")} `, h("code", {}, schema.pattern)]);
  if (schema.default !== undefined && schema.default !== null) facts.push([`${t("default:")} `, value(schema.default)]);
  if (schema.example !== undefined && !isObject(shape)) facts.push([`${t("example:")} `, value(schema.example)]);
  return [
    facts.length > 0 && h("ul", { class: "limits" }, facts.map((fact) => h("li", {}, fact))),
    allowedValues(valuesOf(source, shape)),
  ];
}

/** The lengths of the items of a list. */
function itemRanges(source, { items }) {
  const { minLength, maxLength, minimum, maximum } = items ? shapeOf(source, items).schema : /** @type {any} */ ({});
  return { minLength, maxLength, minimum, maximum };
}

const value = (given) => h("code", {}, typeof given === "string" ? given || '""' : JSON.stringify(given));

function allowedValues(values) {
  if (!values.length) return null;
  const isDescribed = values.some((one) => one.description);
  const item = (one) => h("li", {}, value(one.value), one.description && [" ", line(one.description)]);
  const list = (shown) => h("ul", { class: isDescribed ? "values described" : "values" }, shown.map(item));
  const head = h("p", { class: "values-head" }, t("allowed:"));
  if (values.length <= VALUES_SHOWN) return [head, list(values)];
  return [head, list(values.slice(0, VALUES_SHOWN)), fold(tn("1 more value", "{n} more values", values.length - VALUES_SHOWN), () => list(values.slice(VALUES_SHOWN)))];
}

/** @param {import("./schema.js").Range} range */
function rangeText({ kind, from, to }) {
  const values = { from: from === undefined ? "" : number(from), to: to === undefined ? "" : number(to) };
  const place = from === undefined ? 0 : to === undefined ? 1 : 2;
  const texts = {
    value: [t("at most {to}", values), t("at least {from}", values), t("{from} to {to}", values)],
    characters: [t("at most {to} characters", values), t("at least {from} characters", values), t("{from} to {to} characters", values)],
    items: [t("at most {to} items", values), t("at least {from} items", values), t("{from} to {to} items", values)],
    fields: [t("at most {to} fields", values), t("at least {from} fields", values), t("{from} to {to} fields", values)],
  };
  return texts[kind][place];
}
