// Field groups of a form, and which fields a connector uses.

import { fill, h } from "../../dom.js";
import { t, tn } from "../../i18n.js";
import { resource } from "./resource.js";

const byConnector = new Set(resource.groups.filter((group) => group.is_by_connector).flatMap((group) => group.fields.map((field) => field.name)));

/** A group of fields; `under` has the content below some of them, and `top` is above all. */
export function groupOf(group, fields, under, top) {
  const elementOf = (spec) => {
    const field = fields.get(spec.name);
    const more = under[spec.name]?.();
    if (more) field.element.querySelector(".field-main").append(...[more].flat());
    return field.element;
  };
  const about = group.about && h("p", { class: "muted group-about" }, t(group.about));
  const [expert, usual] = [true, false].map((isExpert) => group.fields.filter((spec) => Boolean(spec.is_expert) === isExpert).map(elementOf));
  const set = h("fieldset", {}, h("legend", group.is_folded ? { class: "visually-hidden" } : {}, t(group.title)), about, top, usual,
    expert.length > 0 && h("details", { class: "expert" }, h("summary", {}, t("Expert: edit as text")), h("div", { class: "expert-fields" }, expert)));
  if (!group.is_folded) return h("div", { class: "group" }, set);
  return h("details", { class: "group fold" }, h("summary", {}, t(group.title)), set);
}

/** Hides the fields that the connector does not use, unless they have a value; `note` shows how many. */
export function hideUnusedFields(fields, chosen, all, note) {
  const known = new Set(all.flatMap((row) => row.settings ?? []));
  for (const [name, field] of fields) {
    const isUsed = !chosen || !byConnector.has(name) || !known.has(name) || (chosen.settings ?? []).includes(name);
    const isEmpty = ["", "{}", field.spec.default].includes(field.control.raw());
    field.element.hidden = !isUsed && isEmpty;
    field.element.closest(".group").hidden = false;
  }
  const hidden = [...fields.values()].filter((field) => field.element.hidden);
  for (const { element } of hidden) {
    const group = element.closest(".group");
    group.hidden = ![...group.querySelectorAll(".form-field")].some((one) => !one.hidden);
  }
  fill(note, hidden.length > 0 && [tn("This connector does not use 1 other field.", "This connector does not use {n} other fields.", hidden.length), " ",
    h("button", { type: "button", class: "plain", onclick: () => hideUnusedFields(fields, null, [], note) }, t("Show them"))]);
}
