// Form fields with validation errors, for the account page.

import { fill, h, toast } from "../dom.js";

let count = 0;

/** A field with a label. `properties` are those of the input; `hint` is shown below it. */
export function field(label, properties, hint) {
  const id = `field-${++count}`;
  const input = h(properties.options ? "select" : "input", { id, ...properties, options: null, "aria-describedby": `${id}-hint` });
  for (const [value, name] of properties.options ?? []) input.append(h("option", { value }, name));
  const below = h("p", { id: `${id}-hint`, class: "hint" }, hint ?? "");
  const row = h("div", { class: "field" }, h("label", { for: id }, label), input, below);
  const showError = (message) => {
    input.toggleAttribute("aria-invalid", Boolean(message));
    below.classList.toggle("field-error", Boolean(message));
    fill(below, message ?? hint ?? "");
  };
  return { row, input, showError };
}

/** A form that runs `action` when it is submitted; errors of the API are shown at their fields. */
export function form(fields, name, action, kind = "go") {
  const button = h("button", { class: kind }, name);
  const element = h("form", { class: "fields" }, Object.values(fields).map((one) => one.row), h("div", { class: "buttons" }, button));
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    for (const one of Object.values(fields)) one.showError(null);
    button.disabled = true;
    try {
      await action();
    } catch (error) {
      showErrors(fields, error);
    } finally {
      button.disabled = false;
    }
  });
  return element;
}

/** An error of a field that the page finds itself. */
export class ValidationError extends Error {
  constructor(field, sentence) {
    super(sentence);
    this.errors = { [field]: [sentence] };
  }
}

function showErrors(fields, error) {
  // An error in a list has a path such as `domains[1].domain`.
  const named = Object.entries(error.errors ?? {}).map(([name, sentences]) => [name.split(/[[.]/)[0], sentences]);
  const fieldErrors = named.filter(([name]) => name in fields);
  if (!fieldErrors.length) return toast(error.message, { bad: true });
  for (const [name, sentences] of fieldErrors) fields[name].showError([sentences].flat().join(" "));
  fields[fieldErrors[0][0]].input.focus();
}
