// Section with the ranking preferences of the user.

import { get } from "../api.js";
import { fill, h, one, toast } from "../dom.js";
import { icon } from "../icon.js";
import { t } from "../i18n.js";
import { ValidationError, field, form } from "./form.js";
import { PREFERENCES, domainOf, readPreferences, setPreference } from "./preferences.js";

export async function mount(place) {
  const [preferences, providers] = await Promise.all([readPreferences(), get("/searchproviders/")]);
  const names = new Map(providers.map((one) => [one.id, one.name]));
  const lists = h("div");
  const draw = (now) => fill(lists, preferenceList(now, names, draw));
  draw(preferences);
  fill(place, lists, h("div", { class: "pair" }, bySource(providers, draw), byDomain(draw)));
}

function preferenceList({ sources, domains }, names, draw) {
  const rows = [
    ...sources.map((one) => row("source", one.provider_id, names.get(one.provider_id) ?? t("deleted source"), one.wish, draw)),
    ...domains.map((one) => row("domain", one.domain, one.domain, one.wish, draw)),
  ];
  return rows.length ? h("ul", { class: "item-list" }, rows) : h("p", { class: "empty-state" }, t("No preferences yet. Results are ranked by relevance alone."));
}

function row(kind, key, name, now, draw) {
  const set = (preference) => async () => {
    try {
      draw(await setPreference(kind, key, preference));
      one(`#ranking li[data-key="${CSS.escape(key)}"] [aria-pressed=true]`)?.focus();
    } catch (error) {
      toast(error.message, { bad: true });
    }
  };
  const choice = ([word, { icon: iconName, name: label }]) =>
    h("button", { type: "button", "aria-pressed": String(word === now), onclick: set(word) }, icon(iconName), h("span", { class: "word" }, label()));
  return h(
    "li",
    { "data-key": key },
    h("div", null, h("b", null, name), h("p", { class: "meta" }, kind === "source" ? t("source") : t("domain"))),
    h(
      "div",
      { class: "preference" },
      h("div", { class: "seg", role: "group", "aria-label": t("Preference for {name}", { name }) }, Object.entries(PREFERENCES).map(choice)),
      h("button", { type: "button", class: "tool", "aria-label": t("Remove the preference for {name}", { name }), title: t("Remove"), onclick: set(null) }, icon("close")),
    ),
  );
}

const preferenceField = () => field(t("Preference"), { options: Object.entries(PREFERENCES).map(([word, { name }]) => [word, name()]) });

function bySource(providers, draw) {
  const options = [["", t("Choose a source")], ...providers.map((one) => [String(one.id), one.name])];
  const fields = { sources: field(t("Source"), { options, required: true }), preference: preferenceField() };
  return withLabel(t("Source preference"), form(fields, t("Add source"), async () => {
    const id = Number(fields.sources.input.value);
    if (!id) throw new ValidationError("sources", t("Choose a source."));
    draw(await setPreference("source", id, fields.preference.input.value));
    fields.sources.input.value = "";
  }, "soft"));
}

function byDomain(draw) {
  const domainField = field(t("Domain"), { placeholder: "example.org", maxlength: 253, required: true, autocapitalize: "none", spellcheck: "false", autocomplete: "off" });
  const fields = { domains: domainField, preference: preferenceField() };
  return withLabel(t("Domain preference"), form(fields, t("Add domain"), async () => {
    draw(await setPreference("domain", domainOf(domainField.input.value), fields.preference.input.value));
    domainField.input.value = "";
  }, "soft"));
}

function withLabel(name, element) {
  element.setAttribute("aria-label", name);
  return element;
}
