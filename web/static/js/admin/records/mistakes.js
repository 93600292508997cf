// Reads the values of a form and shows its errors.

import { Refused } from "../../api.js";
import { announce, fill, h } from "../../dom.js";
import { t } from "../../i18n.js";
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

/**
 * Says what was refused beside the fields, the rest in `alert` above the form, and goes to the first. With `reload`, a
 * record that somebody else has changed can be loaded again; what was typed stays in the form until then.
 */
export function sayRefused(fields, alert, error, reload) {
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
  const again = reload && error.status === 412 && h("button", { type: "button", class: "soft small", onclick: reload }, t("Reload"));
  if (!first || rest.length) fill(alert, h("p", { class: "alert", role: "alert" }, rest.length ? rest.join(" ") : sentence(error), again && " ", again));
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
  announce(t("{what}: check this field.", { what: t(field.spec.label) }));
}
