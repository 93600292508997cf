// Builds elements. Values are always text, never markup.

import { t } from "./i18n.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element with properties and children. `class`, `aria-…`, `data-…` and other attributes by their names;
 * `on…` takes a listener; true is an empty attribute; false, null and undefined are left out.
 */
export function h(name, properties, ...children) {
  return filled(document.createElement(name), properties, children);
}

/** The same for drawings. */
export function s(name, properties, ...children) {
  return filled(document.createElementNS(SVG, name), properties, children);
}

/** Characters by which a text of a source would turn the words around it: embeddings, overrides and isolates. */
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A text as it may stand on a page. */
export const displayed = (text) => String(text).replace(DIRECTION_CONTROLS, "");

const isShown = (child) => child !== null && child !== undefined && child !== false;
/** Elements stay as they are. */
const shown = (children) => children.flat(3).filter(isShown).map((child) => (child.nodeType ? child : displayed(child)));

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" && "value" in element) element.value = value;
    else element.setAttribute(name, value === true ? "" : displayed(value));
  }
  element.append(...shown(children));
  return element;
}

/** @type {(selector: string, within?: ParentNode) => any} */
export const one = (selector, within = document) => within.querySelector(selector);
/** @type {(selector: string, within?: ParentNode) => any[]} */
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];

/** Removes what is in it and puts in what is given. */
export function fill(element, ...children) {
  element.replaceChildren(...shown(children));
  return element;
}

/** Says something to those who listen rather than look. */
export function announce(sentence) {
  let place = one("#announcements");
  if (!place) {
    place = h("div", { id: "announcements", class: "unseen", role: "status", "aria-live": "polite" });
    document.body.append(place);
  }
  place.textContent = sentence;
}

/** A short note at the foot of the page that goes away by itself; `bad` ones stay until they are closed. */
export function toast(sentence, { bad = false } = {}) {
  let place = one("#toasts");
  if (!place) {
    place = h("div", { id: "toasts" });
    document.body.append(place);
  }
  const note = h("div", { class: bad ? "toast bad" : "toast", role: bad ? "alert" : "status" }, sentence);
  if (bad) note.append(h("button", { type: "button", class: "plain", "aria-label": t("Close"), onclick: () => note.remove() }, "×"));
  else setTimeout(() => note.remove(), 4000);
  place.append(note);
  while (place.children.length > 4) place.firstChild.remove();
}
