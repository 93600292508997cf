// Form fields with validation errors, for the account page.

import { fill, h, toast } from "../dom.js";

let count = 0;

/** A field with a label. `properties` are those of the input; `hint` stands below it. */
export function field(label, properties, hint) {
  const id = `field-${++count}`;
  const input = h(properties.options ? "select" : "input", { id, ...properties, options: null, "aria-describedby": `${id}-hint` });
  for (const [value, name] of properties.options ?? []) input.append(h("option", { value }, name));
  const below = h("p", { id: `${id}-hint`, class: "hint" }, hint ?? "");
  const row = h("div", { class: "field" }, h("label", { for: id }, label), input, below);
  const complain = (mistake) => {
    input.toggleAttribute("aria-invalid", Boolean(mistake));
    below.classList.toggle("mistake", Boolean(mistake));
    fill(below, mistake ?? hint ?? "");
  };
  return { row, input, complain };
}

/** A form that sends itself by `deed`; what the API refuses is said at the field it is about. */
export function form(fields, name, deed, kind = "go") {
  const button = h("button", { class: kind }, name);
  const element = h("form", { class: "fields" }, Object.values(fields).map((one) => one.row), h("div", { class: "buttons" }, button));
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    for (const one of Object.values(fields)) one.complain(null);
    button.disabled = true;
    try {
      await deed();
    } catch (error) {
      complain(fields, error);
    } finally {
      button.disabled = false;
    }
  });
  return element;
}

/** A mistake that a form finds by itself. */
export class Mistake extends Error {
  constructor(field, sentence) {
    super(sentence);
    this.errors = { [field]: [sentence] };
  }
}

function complain(fields, error) {
  // A mistake in a list is told by its place, such as `domains[1].domain`.
  const named = Object.entries(error.errors ?? {}).map(([name, sentences]) => [name.split(/[[.]/)[0], sentences]);
  const mistakes = named.filter(([name]) => name in fields);
  if (!mistakes.length) return toast(error.message, { bad: true });
  for (const [name, sentences] of mistakes) fields[name].complain([sentences].flat().join(" "));
  fields[mistakes[0][0]].input.focus();
}
