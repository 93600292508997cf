// Form of a record. Only changed fields are saved.

import { del, get, patch, post } from "../../api.js";
import { ask } from "../../ask.js";
import { fill, h, toast } from "../../dom.js";
import { t, time } from "../../i18n.js";
import { problem } from "../parts.js";
import { saveCopy } from "./copy.js";
import { makeField } from "./field.js";
import { fit, groupOf } from "./groups.js";
import { apiOf, fields as specs, resource, labelOf, listPage, nameOf, pageOf, title } from "./resource.js";
import { sayRefused, valuesOf } from "./mistakes.js";
import { leave } from "./page.js";

/**
 * Draws the form of a record. What is special of a page:
 * `start()` the values of a new record, `isFixed(row)` what cannot be changed and why (a sentence), `stored(row)` the
 * values as the fields read them, `aside(form)` what stands beside the form, `created(row)` what follows a new record,
 * `under: {field: (form) => element}` what stands under a field.
 */
export async function showForm(place, key, special) {
  const isNew = key === "new";
  if (isNew && !resource.permissions.create) return leave(listPage, t("Records of this type cannot be added."));
  try {
    const row = isNew ? await special.start?.() : await get(apiOf(key));
    new RecordForm(place, row ?? {}, isNew, special);
  } catch (error) {
    fill(place, back(), problem(error, () => showForm(place, key, special)));
  }
}

const back = () => h("p", { class: "back" }, h("a", { href: listPage }, `← ${title}`));

class RecordForm {
  constructor(place, row, isNew, special) {
    this.row = row;
    this.isNew = isNew;
    this.special = special;
    this.fixed = (!isNew && special.isFixed?.(row)) || "";
    const values = special.stored?.(row) ?? row;
    this.fields = new Map(specs.map((spec) => [spec.name, makeField(spec, values[spec.name] ?? (isNew ? spec.default : undefined), {
      // Before the catalogue of connectors is there, nothing is put away.
      onConnector: (chosen, all) => this.form && fit(this.fields, chosen, all, this.away),
    })]));
    this.heading = h("h2", { class: "record-name", tabindex: "-1" }, isNew ? t("New {what}", { what: t(resource.singular) }) : nameOf(row));
    this.alert = h("div", { class: "form-alert" });
    this.away = h("p", { class: "muted away" });
    this.state = h("span", { class: "faint", "aria-live": "polite" });
    const under = Object.fromEntries(Object.entries(special.under ?? {}).map(([name, draw]) => [name, () => draw(this)]));
    const groups = resource.groups.map((group) => groupOf(group, this.fields, under));
    this.form = h("form", { class: "record", novalidate: true, onsubmit: (event) => {
      event.preventDefault();
      this.save();
    } }, this.alert, groups, this.away, this.buttons());
    const aside = special.aside?.(this);
    this.unreadable = h("div", {});
    this.sayUnreadable();
    fill(place, back(), this.heading, this.facts(), this.unreadable, this.fixed && h("p", { class: "note" }, this.fixed),
      h("div", { class: aside ? "record-page has-aside" : "record-page" }, this.form, aside && h("aside", { class: "record-aside", "aria-label": t("Next to the form") }, aside)));
    document.title = `${this.heading.textContent} - ${document.title}`;
    this.form.addEventListener("input", () => this.mark());
    this.form.addEventListener("change", () => this.mark());
    addEventListener("beforeunload", (event) => this.isChanged() && !this.isLeaving && event.preventDefault());
    if (this.fixed) for (const one of this.form.querySelectorAll("input, textarea, select, .ordered button, .ordered-add button")) one.disabled = true;
    this.mark();
  }

  /** Whose it is, and when it was changed. */
  facts() {
    const { owner, date_updated: changed } = this.row;
    if (this.isNew || !(owner || changed)) return null;
    const said = [owner && t("Owner: {owner}", { owner }), changed && t("changed {when}", { when: time(changed) })];
    return h("p", { class: "faint facts-line" }, said.filter(Boolean).join(" · "));
  }

  /** Which fields cannot be read and what to do about it, until they were entered again. */
  sayUnreadable() {
    const names = this.row.unreadable_fields ?? [];
    const said = t("These fields were encrypted with another key and cannot be read: {fields}. Enter all of them again and save. Until then, this record is not used.", { fields: names.map(labelOf).join(", ") });
    fill(this.unreadable, names.length ? h("p", { class: "note warn", role: "status" }, said) : null);
  }

  /** An unreadable secret that is left empty is said to be empty: a record that is sealed as a whole is entered as a whole. */
  withUnreadable(values) {
    const secrets = specs.filter((spec) => spec.control === "secret" && this.row.unreadable_fields?.includes(spec.name));
    return Object.assign(Object.fromEntries(secrets.map((spec) => [spec.name, ""])), values);
  }

  buttons() {
    const { permissions } = resource;
    const canSave = this.isNew || (permissions.change && !this.fixed);
    return h("div", { class: "record-buttons" },
      canSave && h("button", { class: "go" }, this.isNew ? t("Create") : t("Save")),
      !this.isNew && permissions.copy && h("button", { type: "button", class: "soft", onclick: () => this.copy() }, t("Save as new")),
      this.state, h("span", { class: "grow" }),
      !this.isNew && permissions.delete && !this.fixed && h("button", { type: "button", class: "danger", onclick: () => this.remove() }, t("Delete")));
  }

  isChanged() {
    return [...this.fields.values()].some((field) => field.isChanged());
  }

  mark() {
    const isChanged = this.isChanged();
    this.form.classList.toggle("is-changed", isChanged);
    this.state.textContent = isChanged ? t("Unsaved changes") : "";
  }

  values(which) {
    return valuesOf(this.fields, which);
  }

  refused(error) {
    sayRefused(this.fields, this.alert, error, () => {
      this.isLeaving = true;
      location.reload();
    });
  }

  async save() {
    const values = this.values({ onlyChanged: !this.isNew });
    if (!values) return;
    if (!this.isNew && !Object.keys(values).length) return void toast(t("No changes."));
    await this.busy(async () => {
      if (!this.isNew) return this.settled(await patch(apiOf(this.row[resource.key]), this.withUnreadable(values), this.row));
      const row = await post(resource.api, values);
      this.isLeaving = true;
      if (this.special.created) return this.special.created(row, this);
      leave(pageOf(row[resource.key]), t("{what} was created.", { what: nameOf(row) }));
    });
  }

  settled(row) {
    this.row = row;
    this.sayUnreadable();
    const values = this.special.stored?.(row) ?? row;
    for (const [name, field] of this.fields) field.settle(values[name]);
    if (!this.isNew) this.heading.textContent = nameOf(row);
    this.mark();
    toast(t("Saved."));
  }

  async copy() {
    const values = this.values();
    if (!values) return;
    await this.busy(async () => {
      const row = await saveCopy(values, this.row);
      this.isLeaving = true;
      const name = row[resource.permissions.copy.field];
      const hasSecret = specs.some((spec) => spec.control === "secret");
      leave(pageOf(row[resource.key]), hasSecret ? t("{what} was created. Secrets are not copied: enter them again.", { what: name }) : t("{what} was created.", { what: name }));
    });
  }

  async remove() {
    const name = nameOf(this.row);
    const isMeant = await ask({ title: t("Delete {what}?", { what: name }), sentence: t("This cannot be undone."), yes: t("Delete") });
    if (!isMeant) return;
    await this.busy(async () => {
      await del(apiOf(this.row[resource.key]), this.row);
      this.isLeaving = true;
      leave(listPage, t("{what} was deleted.", { what: name }));
    });
  }

  async busy(work) {
    const buttons = [...this.form.querySelectorAll(".record-buttons button")];
    for (const button of buttons) button.disabled = true;
    fill(this.alert);
    try {
      await work();
    } catch (error) {
      this.refused(error);
    }
    for (const button of buttons) button.disabled = false;
  }
}
