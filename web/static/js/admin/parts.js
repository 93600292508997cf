// Shared components of the console: tables, fields, error messages.

import { Refused, get } from "../api.js";
import { fill, h, one } from "../dom.js";
import { t } from "../i18n.js";

/** Where a page puts itself. */
export const work = () => one("#work");

/** What went wrong, as a sentence. */
export function sentence(error) {
  if (!(error instanceof Refused)) return t("The service did not respond. Check your connection and try again.");
  if (error.status === 412) return t("Someone else changed this in the meantime. Reload it, then make your change.");
  const lines = Object.entries(error.errors).flatMap(([, said]) => said);
  return lines.length ? lines.join(" ") : error.message;
}

/** An alert that says what went wrong, and a way to try again. */
export function problem(error, again) {
  const retry = again && h("button", { type: "button", class: "soft", onclick: again }, t("Try again"));
  return h("div", { class: "alert", role: "alert" }, h("p", {}, sentence(error)), retry);
}

/** Reads from the API and shows it by `draw`; while it lasts and when it fails, that is said in the same place. */
export async function shown(place, path, draw) {
  fill(place, h("p", { class: "muted loading" }, t("Loading…")));
  try {
    const answer = await get(path);
    fill(place, draw(answer));
    return answer;
  } catch (error) {
    fill(place, problem(error, () => shown(place, path, draw)));
    return null;
  }
}

/**
 * A table that scrolls inside itself. Columns are `{title, cell(row), kind}`, kind being `num` or nothing;
 * `empty` is said when there is no row.
 */
export function table(name, columns, rows, empty) {
  if (!rows.length) return h("p", { class: "note" }, empty);
  const head = columns.map((column) => h("th", { scope: "col", class: column.kind }, column.title));
  const body = rows.map((row) => h("tr", {}, columns.map((column) => h("td", { class: column.kind }, column.cell(row)))));
  return scroller(name, h("table", { class: "list" }, h("caption", { class: "unseen" }, name), h("thead", {}, h("tr", {}, head)), h("tbody", {}, body)));
}

/** A named region that can be scrolled by keyboard. */
export const scroller = (name, content) => h("div", { class: "scroller", role: "region", "aria-label": name, tabindex: "0" }, content);

/** A card with a heading. */
export const card = (title, ...children) => h("section", { class: "card" }, h("h2", {}, title), children);

let fieldCount = 0;

/** A labelled control with help below it and a place for its mistake. */
export function field(label, control, help) {
  control.id ||= `f-${(fieldCount += 1)}`;
  const notes = [];
  if (help) notes.push(h("p", { class: "help", id: `${control.id}-help` }, help));
  const mistake = h("p", { class: "mistake", id: `${control.id}-mistake`, role: "alert" });
  control.setAttribute("aria-describedby", [help && `${control.id}-help`, mistake.id].filter(Boolean).join(" "));
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, notes, mistake);
}

/** Says a mistake beside its control, or takes it back. */
export function mistake(control, said = "") {
  const place = document.getElementById(`${control.id}-mistake`);
  if (place) place.textContent = said;
  control.toggleAttribute("aria-invalid", Boolean(said));
  if (said) control.setAttribute("aria-invalid", "true");
}

/** A switch with its label. */
export function toggle(label, isOn, onchange) {
  const box = h("input", { type: "checkbox", class: "switch", role: "switch", onchange });
  box.checked = isOn;
  return h("label", { class: "toggle" }, box, h("span", {}, label));
}

/** A group of buttons of which one is pressed. */
export function segments(name, choices, chosen, onchoose) {
  const buttons = choices.map(([value, label]) =>
    h("button", { type: "button", "data-value": value, "aria-pressed": String(value === chosen), onclick: () => press(value) }, label));
  const group = h("div", { class: "seg", role: "group", "aria-label": name }, buttons);
  function press(value) {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.value === value));
    onchoose(value);
  }
  return group;
}
