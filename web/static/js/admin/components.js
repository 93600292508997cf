// Shared components of the console: tables, fields, error messages.

import { ApiError, get } from "../api.js";
import { fill, h, one } from "../dom.js";
import { t } from "../i18n.js";
import { splitWords } from "./records/split_words.js";

/** The element that a page fills. */
export const work = () => one("#work");

/** The message of an error for the user. */
export function errorMessage(error) {
  if (!(error instanceof ApiError)) return t("The service did not respond. Check your connection and try again.");
  if (error.status === 412) return t("Someone else has changed this in the meantime. Reload it, then make your changes again.");
  const lines = Object.entries(error.errors).flatMap(([, messages]) => messages);
  return lines.length ? lines.join(" ") : error.message;
}

/** Capitalizes a text and adds a period, unless it ends with a punctuation mark. */
export const toSentence = (text, end = ".") => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : end);

/** A text whose names of classes and settings may break before their capitals and after underscores. */
export const breakable = (text) => splitWords(text).flatMap((part, place) => (place ? [h("wbr"), part] : [part]));

/** An alert with the message of an error, and a button to try again. */
export function errorAlert(error, retry) {
  const button = retry && h("button", { type: "button", class: "soft", onclick: retry }, t("Try again"));
  return h("div", { class: "alert", role: "alert" }, h("p", {}, errorMessage(error)), button);
}

/** Loads a path of the API and shows it with `draw`. Until then, and if it fails, `place` shows a message. */
export async function loadInto(place, path, draw) {
  fill(place, h("p", { class: "muted loading" }, t("Loading…")));
  try {
    const answer = await get(path);
    fill(place, draw(answer));
    return answer;
  } catch (error) {
    fill(place, errorAlert(error, () => loadInto(place, path, draw)));
    return null;
  }
}

/**
 * A table that scrolls on its own. Columns are `{title, cell(row), kind}`; the kind is `num`, `nowrap` or nothing.
 * `empty` is shown if there are no rows. If `isStacked`, each row is a card on a phone.
 */
export function table(name, columns, rows, empty, { isStacked = false } = {}) {
  if (!rows.length) return h("p", { class: "note" }, empty);
  // Cards are not displayed as a table, so that its roles must be explicit.
  const role = (role) => (isStacked ? { role } : {});
  const head = columns.map((column) => h("th", { scope: "col", class: column.kind, ...role("columnheader") }, column.title));
  const body = rows.map((row) => h("tr", role("row"), columns.map((column) => h("td", { class: column.kind, "data-label": isStacked ? column.title : null, ...role("cell") }, column.cell(row)))));
  return scroller(name, h("table", { class: isStacked ? "list stacked" : "list", ...role("table") }, h("caption", { class: "visually-hidden" }, name),
    h("thead", role("rowgroup"), h("tr", role("row"), head)), h("tbody", role("rowgroup"), body)));
}

/** A named region that can be scrolled by keyboard. */
export const scroller = (name, content) => h("div", { class: "scroller", role: "region", "aria-label": name, tabindex: "0" }, content);

/** A card with a heading. */
export const card = (title, ...children) => h("section", { class: "card" }, h("h2", {}, title), children);

let fieldCount = 0;

/** A labeled control with help and its error below it. */
export function field(label, control, help) {
  control.id ||= `f-${(fieldCount += 1)}`;
  const notes = [];
  if (help) notes.push(h("p", { class: "help", id: `${control.id}-help` }, help));
  const errorPlace = h("p", { class: "field-error", id: `${control.id}-error`, role: "alert" });
  control.setAttribute("aria-describedby", [help && `${control.id}-help`, errorPlace.id].filter(Boolean).join(" "));
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, notes, errorPlace);
}

/** Shows the error of a control, or removes it. */
export function showFieldError(control, message = "") {
  const errorPlace = document.getElementById(`${control.id}-error`);
  if (errorPlace) errorPlace.textContent = message;
  control.toggleAttribute("aria-invalid", Boolean(message));
  if (message) control.setAttribute("aria-invalid", "true");
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
