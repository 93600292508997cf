// Toolbar of a list: search box, filters, and the link to a new record.

import { get } from "../../api.js";
import { h } from "../../dom.js";
import { t } from "../../i18n.js";
import { resource, pageOf, title } from "./resource.js";

/** Delay after the last keystroke before the list is loaded again. */
const WAIT_MS = 250;

/**
 * The description and buttons of the list, then the search box and the filters. `onchange` is called after `state` has
 * changed; `more` are additional buttons of the page, and `create` replaces the button for a new record.
 */
export function toolbar(state, onchange, more = [], create = createButton()) {
  let waiting;
  const later = () => {
    clearTimeout(waiting);
    waiting = setTimeout(onchange, WAIT_MS);
  };
  const box = h("input", {
    type: "search", class: "list-search", placeholder: t("Search this list"), "aria-label": t("Search {what}", { what: title }),
    value: state.text,
    oninput: () => {
      state.text = box.value.trim();
      later();
    },
  });
  const filters = resource.filters.map((filter) => control(filter, state, later));
  return [
    h("div", { class: "list-head" }, h("p", { class: "muted about" }, t(resource.about)), h("div", { class: "beside" }, more, create)),
    h("form", { class: "list-tools", role: "search", onsubmit: (event) => event.preventDefault() }, box, filters),
  ];
}

const createButton = () => resource.permissions.create && h("a", { class: "go", href: pageOf("new") }, t("New {what}", { what: t(resource.singular) }));

function control(filter, state, later) {
  const set = (value) => {
    state.filters[filter.parameter] = value;
    later();
  };
  const value = state.filters[filter.parameter] ?? "";
  if (filter.choices === "word") {
    const box = h("input", { type: "search", class: "filter", placeholder: t(filter.label), "aria-label": t(filter.label), value, oninput: () => set(box.value.trim()) });
    return box;
  }
  const select = h("select", { class: "filter", "aria-label": t(filter.label), onchange: () => set(select.value) }, option("", t("{what}: all", { what: t(filter.label) })));
  const add = (words) => {
    select.append(...words);
    select.value = value;
  };
  if (filter.choices === "flag") add([option("true", t("{what}: yes", { what: t(filter.label) })), option("false", t("{what}: no", { what: t(filter.label) }))]);
  else if (filter.choices.these) add(filter.choices.these.map((word) => option(word, word)));
  else get(filter.choices.named).then((rows) => add(rows.map((row) => option(row.name, row.name))), () => {});
  return select;
}

const option = (value, label) => h("option", { value }, label);
