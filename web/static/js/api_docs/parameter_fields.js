// Form fields for the parameters of an operation.

import { fill, h } from "../dom.js";
import { t, tn } from "../i18n.js";
import { shapeOf, typeName, valuesOf } from "./schema.js";

/** More optional parameters than these are folded. */
const OPTIONAL_SHOWN = 4;

/**
 * @param {any} source the OpenAPI document
 * @param {import("./operations.js").Operation} operation
 * @param {import("./request.js").Values} values filled when the user types
 */
export function parameterFields(source, operation, values, update) {
  const fields = operation.parameters.filter((one) => one.in in values).map((one) => parameterField(source, one, values, update));
  const required = fields.filter((one) => one.isRequired);
  const optional = fields.filter((one) => !one.isRequired);
  const folded = optional.splice(optional.length > OPTIONAL_SHOWN + 1 ? OPTIONAL_SHOWN : optional.length);
  const more = folded.length > 0 && h("details", { class: "more-fields" }, h("summary", {}, tn("1 more parameter", "{n} more parameters", folded.length)), rows(folded));
  /** Marks the fields of these names; returns whether there are none. */
  const check = (missing) => {
    for (const one of fields) one.showError(missing.includes(one.name));
    fields.find((one) => missing.includes(one.name))?.input.focus();
    return !missing.length;
  };
  return { element: h("div", { class: "try-fields" }, rows([...required, ...optional]), more), check };
}

const rows = (fields) => fields.map((one) => one.row);

function parameterField(source, { name, in: place, required, schema, example }, values, update) {
  const id = `value-${place}-${name}`;
  const shape = shapeOf(source, schema ?? {});
  const choices = shape.types.join() === "boolean" ? ["true", "false"] : valuesOf(source, shape).map(({ value }) => String(value));
  const properties = { id, name, "aria-describedby": `${id}-error`, "aria-required": required ? "true" : null };
  const input = choices.length && !shape.options.length
    ? h("select", properties, ["", ...choices].map((choice) => h("option", { value: choice }, choice)))
    : h("input", { ...properties, type: "text", placeholder: example ?? schema?.example, spellcheck: "false", inputmode: shape.types.join() === "integer" ? "numeric" : null });
  const error = h("p", { id: `${id}-error`, class: "hint field-error" });
  input.addEventListener("input", () => {
    values[place][name] = input.value;
    showError(false);
    update();
  });
  const showError = (isMissing) => {
    input.toggleAttribute("aria-invalid", isMissing);
    if (isMissing) input.setAttribute("aria-invalid", "true");
    fill(error, isMissing ? t("Required.") : "");
  };
  const label = h("label", { for: id }, h("code", {}, name), required && h("span", { class: "asterisk", "aria-hidden": "true" }, "*"), h("span", { class: "faint" }, typeName(source, schema ?? {})));
  return { name, input, showError, isRequired: Boolean(required) || place === "path", row: h("div", { class: "try-field" }, label, input, error) };
}

/** Chooses the type of the response. */
export function acceptField(types, values, update) {
  const input = h("select", { id: "value-accept", onchange: () => update((values.accept = input.value)) }, types.map((type) => h("option", { value: type }, type)));
  return h("div", { class: "try-field" }, h("label", { for: "value-accept" }, h("code", {}, "Accept")), input);
}
