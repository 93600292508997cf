// Inline switch of a list; it flips back if the API refuses the change.

import { patch } from "../../api.js";
import { announce, h, toast } from "../../dom.js";
import { t } from "../../i18n.js";
import { errorMessage } from "../components.js";
import { apiOf, resource, labelOf, nameOf } from "./resource.js";

/** The switch of a field of a row. A fixed one is disabled. */
export function inlineSwitch(row, field, isFixed) {
  const label = `${nameOf(row)}: ${labelOf(field)}`;
  const box = h("input", { type: "checkbox", class: "switch", role: "switch", "aria-label": label, disabled: isFixed });
  box.checked = Boolean(row[field]);
  box.addEventListener("change", async () => {
    const wanted = box.checked;
    box.setAttribute("aria-busy", "true");
    try {
      Object.assign(row, await patch(apiOf(row[resource.key]), { [field]: wanted }));
      announce(wanted ? t("{what} is on.", { what: label }) : t("{what} is off.", { what: label }));
    } catch (error) {
      row[field] = !wanted;
      toast(`${label}. ${errorMessage(error)}`, { bad: true });
    }
    box.checked = Boolean(row[field]);
    box.removeAttribute("aria-busy");
  });
  return box;
}
