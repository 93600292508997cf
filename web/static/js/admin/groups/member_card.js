// The users or sources of a group: a list with a button to remove each, and a box to add one by its name.

import { get, patch } from "../../api.js";
import { announce, fill, h, toast } from "../../dom.js";
import { number, t } from "../../i18n.js";
import { errorAlert, errorMessage } from "../components.js";

/** Records that are listed, and suggested while typing. */
const SHOWN_MAX = 200;

/** The card of a kind of records: `{title, empty, add, unknown, api, page, name}`; `name` is the field with the name. */
export const memberCard = (form, kind) => new MemberCard(form, kind).element;

class MemberCard {
  constructor(form, kind) {
    this.form = form;
    this.kind = kind;
    this.rows = [];
    const listId = `known${kind.api.replaceAll("/", "-")}`;
    this.known = h("datalist", { id: listId });
    this.input = h("input", { type: "text", list: listId, autocomplete: "off", spellcheck: "false", maxlength: 200, "aria-label": kind.add(), placeholder: kind.add(), onkeydown: (event) => this.press(event) });
    this.error = h("p", { class: "field-error", role: "alert" });
    this.list = h("div", {}, h("p", { class: "muted loading" }, t("Loading…")));
    this.element = h("div", { class: "group members" }, h("h2", {}, kind.title()), this.list,
      h("div", { class: "beside" }, this.input, this.known, h("button", { type: "button", class: "soft", onclick: () => this.add() }, t("Add"))), this.error);
    this.load();
  }

  get group() {
    return this.form.row.name;
  }

  async load() {
    try {
      this.rows = await get(this.kind.api);
      this.draw();
    } catch (error) {
      fill(this.list, errorAlert(error, () => this.load()));
    }
  }

  nameOf(row) {
    return row[this.kind.name];
  }

  draw() {
    const isIn = (row) => (row.groups ?? []).includes(this.group);
    const members = this.rows.filter(isIn);
    const more = members.length - SHOWN_MAX;
    fill(this.list, members.length ? h("ul", {}, members.slice(0, SHOWN_MAX).map((row) => this.item(row))) : h("p", { class: "muted" }, this.kind.empty()),
      more > 0 && h("p", { class: "faint" }, t("and {n} more", { n: number(more) })));
    fill(this.known, this.rows.filter((row) => !isIn(row)).slice(0, SHOWN_MAX).map((row) => h("option", { value: this.nameOf(row) })));
  }

  item(row) {
    const name = this.nameOf(row);
    return h("li", {}, h("a", { href: `${this.kind.page}${row.id}/` }, name), row.shared === true && h("span", { class: "badge quiet" }, t("visible to everyone")),
      h("button", { type: "button", class: "plain", "aria-label": t("Remove {what}", { what: name }), onclick: () => this.change(row, false) }, t("Remove")));
  }

  /** Enter adds, and does not save the form. */
  press(event) {
    if (event.key !== "Enter") return;
    event.preventDefault();
    this.add();
  }

  add() {
    const name = this.input.value.trim();
    const row = this.rows.find((one) => this.nameOf(one) === name);
    this.error.textContent = name && !row ? this.kind.unknown() : "";
    if (row) this.change(row, true);
  }

  /** The record is read again first, so that a change by somebody else is not lost. */
  async change(row, isMember) {
    this.error.textContent = "";
    try {
      const newest = await get(`${this.kind.api}${row.id}/`);
      const others = newest.groups.filter((name) => name !== this.group);
      const saved = await patch(`${this.kind.api}${row.id}/`, { groups: isMember ? [...others, this.group] : others }, newest);
      this.rows = this.rows.map((one) => (one.id === saved.id ? saved : one));
      this.draw();
      const name = this.nameOf(saved);
      announce(isMember ? t("{what} was added.", { what: name }) : t("{what} was removed.", { what: name }));
      if (isMember) this.input.value = "";
      this.input.focus();
    } catch (error) {
      toast(errorMessage(error), { bad: true });
    }
  }
}
