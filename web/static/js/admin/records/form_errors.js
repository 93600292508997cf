// Reads the values of a form and shows its errors.

import { ApiError } from "../../api.js";
import { announce, fill, h } from "../../dom.js";
import { t } from "../../i18n.js";
import { errorMessage } from "../components.js";

/** The values of all fields, or of those that were changed. Null if one is not valid; its field then shows the error. */
export function valuesOf(fields, { onlyChanged = false } = {}) {
  const values = {};
  let first = null;
  for (const [name, field] of fields) {
    try {
      const value = field.read();
      field.showErrors();
      if (value !== undefined && (!onlyChanged || field.isChanged())) values[name] = value;
    } catch (error) {
      field.showErrors([error.message]);
      first ??= field;
    }
  }
  if (first) focusField(first);
  return first ? null : values;
}

/**
 * Shows errors of the API at their fields, the others in `alert` above the form, and focuses the first field. With `reload`,
 * a record that somebody else has changed can be loaded again; the input stays in the form until then.
 */
export function showApiErrors(fields, alert, error, reload) {
  const errors = error instanceof ApiError ? error.errors : {};
  const rest = [];
  let first = null;
  for (const field of fields.values()) field.showErrors();
  for (const [path, sentences] of Object.entries(errors)) {
    const field = fields.get(path.split(".")[0]);
    if (!field) rest.push(...sentences);
    field?.showErrors(sentences);
    first ??= field;
  }
  const reloadButton = reload && error.status === 412 && h("button", { type: "button", class: "soft small", onclick: reload }, t("Reload"));
  if (!first || rest.length) fill(alert, h("p", { class: "alert", role: "alert" }, rest.length ? rest.join(" ") : errorMessage(error), reloadButton && " ", reloadButton));
  if (first) focusField(first);
  else alert.scrollIntoView({ block: "center" });
}

/** Focuses a field with an error, also if it is hidden. */
function focusField(field) {
  field.element.hidden = false;
  const group = field.element.closest(".group");
  group.hidden = false;
  for (let fold = field.element.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  field.focus();
  field.element.scrollIntoView({ block: "center" });
  announce(t("{what}: check this field.", { what: t(field.spec.label) }));
}
