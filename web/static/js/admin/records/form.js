// Form of a record. Only changed fields are saved.

import { del, get, patch, post } from "../../api.js";
import { confirmAction } from "../../confirm_dialog.js";
import { fill, h, one, stripDirectionControls, toast } from "../../dom.js";
import { t, time } from "../../i18n.js";
import { errorAlert } from "../components.js";
import { saveCopy } from "./copy.js";
import { makeField } from "./field.js";
import { hideUnusedFields, groupOf } from "./groups.js";
import { apiOf, fields as specs, resource, labelOf, listPage, nameOf, pageOf, title } from "./resource.js";
import { showApiErrors, valuesOf } from "./form_errors.js";
import { patchOf } from "./merge_patch.js";
import { goTo } from "./page.js";

/**
 * Draws the form of a record. Options of a page: `start()` returns the values of a new record, `isFixed(row)` why a record
 * cannot be changed (a sentence), `formValues(row)` the values of the fields, `aside(form)` the content beside the form;
 * `created(row)` is called after a record was created; `under: {field: (form) => element}` is the content below a field,
 * `top: {group: (form) => element}` that above the fields of a group, and `after(form)` that below all groups;
 * `savedMessage(row)` replaces the message after saving.
 */
export async function showForm(place, key, options) {
  const isNew = key === "new";
  if (isNew && !resource.permissions.create) return goTo(listPage, t("Records of this type cannot be added."));
  try {
    const row = isNew ? await options.start?.() : await get(apiOf(key));
    new RecordForm(place, row ?? {}, isNew, options);
  } catch (error) {
    fill(place, back(), errorAlert(error, () => showForm(place, key, options)));
  }
}

const back = () => h("p", { class: "back" }, h("a", { href: listPage }, `← ${title}`));

class RecordForm {
  constructor(place, row, isNew, options) {
    this.row = row;
    this.isNew = isNew;
    this.options = options;
    this.fixed = (!isNew && options.isFixed?.(row)) || "";
    const values = options.formValues?.(row) ?? row;
    this.fields = new Map(specs.map((spec) => [spec.name, makeField(spec, values[spec.name] ?? (isNew ? spec.default : undefined), {
      // No field is hidden before the connectors are loaded.
      onConnector: (chosen, all) => this.form && hideUnusedFields(this.fields, chosen, all, this.hiddenNote),
    })]));
    this.heading = one("h1");
    if (!isNew) this.heading.textContent = stripDirectionControls(nameOf(row));
    this.alert = h("div", { class: "form-alert" });
    this.hiddenNote = h("p", { class: "muted hidden-note" });
    this.state = h("span", { class: "faint", "aria-live": "polite" });
    const under = Object.fromEntries(Object.entries(options.under ?? {}).map(([name, draw]) => [name, () => draw(this)]));
    const groups = resource.groups.map((group) => groupOf(group, this.fields, under, options.top?.[group.title]?.(this)));
    this.form = h("form", { class: "record", novalidate: true, onsubmit: (event) => {
      event.preventDefault();
      this.save();
    } }, this.alert, groups, options.after?.(this), this.hiddenNote, this.buttons());
    const aside = options.aside?.(this);
    this.unreadable = h("div", {});
    this.showUnreadable();
    fill(place, this.facts(), this.unreadable, this.fixed && h("p", { class: "note" }, this.fixed),
      h("div", { class: aside ? "record-page has-aside" : "record-page" }, this.form, aside && h("aside", { class: "record-aside", "aria-label": t("Details and tools") }, aside)));
    document.title = `${this.heading.textContent} - ${document.title}`;
    this.form.addEventListener("input", () => this.mark());
    this.form.addEventListener("change", () => this.mark());
    addEventListener("beforeunload", (event) => this.isChanged() && !this.isLeaving && event.preventDefault());
    if (this.fixed) for (const one of this.form.querySelectorAll("input, textarea, select, .ordered button, .ordered-add button")) one.disabled = true;
    this.mark();
  }

  /** Owner and time of the last change. */
  facts() {
    const { owner, date_updated: changed } = this.row;
    if (this.isNew || !(owner || changed)) return null;
    const parts = [owner && t("Owner: {owner}", { owner }), changed && t("changed {when}", { when: time(changed) })];
    return h("p", { class: "faint facts-line" }, parts.filter(Boolean).join(" · "));
  }

  /** Shows which secrets cannot be decrypted, until they are entered again. */
  showUnreadable() {
    const names = this.row.unreadable_fields ?? [];
    const message = t("These fields were encrypted with another key and cannot be read: {fields}. Enter all of them again and save. Until then, this record is not used.", { fields: names.map(labelOf).join(", ") });
    fill(this.unreadable, names.length ? h("p", { class: "note warn", role: "status" }, message) : null);
  }

  /** Sends unreadable secrets that were left empty as empty: the secrets of a record must be entered together. */
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

  showErrors(error) {
    showApiErrors(this.fields, this.alert, error, () => {
      this.isLeaving = true;
      location.reload();
    });
  }

  async save() {
    const values = this.values({ onlyChanged: !this.isNew });
    if (!values) return;
    if (!this.isNew && !Object.keys(values).length) return void toast(t("No changes."));
    await this.runBusy(async () => {
      if (!this.isNew) {
        const changes = patchOf(this.options.formValues?.(this.row) ?? this.row, this.withUnreadable(values));
        return this.showSaved(await patch(apiOf(this.row[resource.key]), changes, this.row));
      }
      const row = await post(resource.api, values);
      this.isLeaving = true;
      if (this.options.created) return this.options.created(row, this);
      goTo(pageOf(row[resource.key]), t("{what} was created.", { what: nameOf(row) }));
    });
  }

  showSaved(row) {
    this.row = row;
    this.showUnreadable();
    const values = this.options.formValues?.(row) ?? row;
    for (const [name, field] of this.fields) field.markSaved(values[name]);
    if (!this.isNew) this.heading.textContent = stripDirectionControls(nameOf(row));
    this.mark();
    toast(this.options.savedMessage?.(row) || t("Saved."));
  }

  async copy() {
    const values = this.values();
    if (!values) return;
    await this.runBusy(async () => {
      const row = await saveCopy(values, this.row);
      this.isLeaving = true;
      const name = row[resource.permissions.copy.field];
      const hasSecret = specs.some((spec) => spec.control === "secret");
      goTo(pageOf(row[resource.key]), hasSecret ? t("{what} was created. Secrets are not copied: enter them again.", { what: name }) : t("{what} was created.", { what: name }));
    });
  }

  async remove() {
    const name = nameOf(this.row);
    const isConfirmed = await confirmAction({ title: t("Delete {what}?", { what: name }), sentence: t("This cannot be undone."), yes: t("Delete") });
    if (!isConfirmed) return;
    await this.runBusy(async () => {
      await del(apiOf(this.row[resource.key]), this.row);
      this.isLeaving = true;
      goTo(listPage, t("{what} was deleted.", { what: name }));
    });
  }

  async runBusy(action) {
    const buttons = [...this.form.querySelectorAll(".record-buttons button")];
    for (const button of buttons) button.disabled = true;
    fill(this.alert);
    try {
      await action();
    } catch (error) {
      this.showErrors(error);
    }
    for (const button of buttons) button.disabled = false;
  }
}
