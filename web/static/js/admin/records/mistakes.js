// Reading a form, and saying what is wrong with it beside the fields.

import { Refused } from "../../api.js";
import { announce, fill, h } from "../../dom.js";
import { t } from "../../words.js";
import { sentence } from "../parts.js";

/** The values of all fields, or of those that were changed. Null when one cannot be read; that is said beside it. */
export function valuesOf(fields, { onlyChanged = false } = {}) {
  const values = {};
  let first = null;
  for (const [name, field] of fields) {
    try {
      const value = field.read();
      field.complain();
      if (value !== undefined && (!onlyChanged || field.isChanged())) values[name] = value;
    } catch (mistake) {
      field.complain([mistake.message]);
      first ??= field;
    }
  }
  if (first) lead(first);
  return first ? null : values;
}

/** Says what was refused beside the fields, the rest in `alert` above the form, and goes to the first. */
export function sayRefused(fields, alert, error) {
  const errors = error instanceof Refused ? error.errors : {};
  const rest = [];
  let first = null;
  for (const field of fields.values()) field.complain();
  for (const [path, sentences] of Object.entries(errors)) {
    const field = fields.get(path.split(".")[0]);
    if (!field) rest.push(...sentences);
    field?.complain(sentences);
    first ??= field;
  }
  if (!first || rest.length) fill(alert, h("p", { class: "alert", role: "alert" }, rest.length ? rest.join(" ") : sentence(error)));
  if (first) lead(first);
  else alert.scrollIntoView({ block: "center" });
}

/** Goes to a field that needs a look, wherever it was put away. */
function lead(field) {
  field.element.hidden = false;
  const group = field.element.closest(".group");
  group.hidden = false;
  if (group.tagName === "DETAILS") group.open = true;
  field.focus();
  field.element.scrollIntoView({ block: "center" });
  announce(t("{what}: please look at this field.", { what: t(field.spec.label) }));
}
