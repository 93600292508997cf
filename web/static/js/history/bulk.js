// Bulk selection of searches.

import { h } from "../dom.js";
import { t, tn } from "../i18n.js";

/** A bar for bulk actions; `show(chosen, shown, count)` updates it. */
export function bulk({ chooseAll, removeChosen }) {
  const all = h("input", { type: "checkbox", "aria-label": t("Select all on this page"), onchange: () => chooseAll(all.checked) });
  const words = h("span");
  const button = h("button", { type: "button", class: "danger small", onclick: removeChosen }, t("Delete"));
  const total = h("span", { class: "faint num total" });
  const element = h("div", { class: "bulk", hidden: true }, h("label", null, all, words), button, total);
  const show = (chosen, shown, count) => {
    element.hidden = shown === 0;
    all.checked = chosen > 0 && chosen === shown;
    all.indeterminate = chosen > 0 && chosen < shown;
    words.textContent = chosen ? tn("1 selected", "{n} selected", chosen) : t("Select all on this page");
    button.hidden = chosen === 0;
    total.textContent = tn("1 search", "{n} searches", count);
  };
  return { element, show };
}
