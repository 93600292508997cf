// Builds elements. Values are always text, never markup.

import { t } from "./i18n.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element with properties and children. `class`, `aria-…`, `data-…` and other attributes by their names;
 * `on…` takes a listener; true is an empty attribute; false, null and undefined are left out.
 */
export function h(name, properties, ...children) {
  return setUp(document.createElement(name), properties, children);
}

/** An SVG element with properties and children, as in `h`. */
export function s(name, properties, ...children) {
  return setUp(document.createElementNS(SVG, name), properties, children);
}

/** Direction controls (embeddings, overrides and isolates), with which a source could reorder the text around its own. */
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Text without direction controls, as it is shown on a page. */
export const stripDirectionControls = (text) => String(text).replace(DIRECTION_CONTROLS, "");

const isRendered = (child) => child !== null && child !== undefined && child !== false;
/** Elements are used as they are; other children become text. */
const toNodes = (children) => children.flat(3).filter(isRendered).map((child) => (child.nodeType ? child : stripDirectionControls(child)));

function setUp(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" && "value" in element) element.value = value;
    else element.setAttribute(name, value === true ? "" : stripDirectionControls(value));
  }
  element.append(...toNodes(children));
  return element;
}

/** @type {(selector: string, within?: ParentNode) => any} */
export const one = (selector, within = document) => within.querySelector(selector);
/** @type {(selector: string, within?: ParentNode) => any[]} */
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];

/** Replaces the children of an element. */
export function fill(element, ...children) {
  element.replaceChildren(...toNodes(children));
  return element;
}

/** Announces a sentence to screen readers. */
export function announce(sentence) {
  let place = one("#announcements");
  if (!place) {
    place = h("div", { id: "announcements", class: "visually-hidden", role: "status", "aria-live": "polite" });
    document.body.append(place);
  }
  place.textContent = sentence;
}

/** A short message at the bottom of the page. It disappears by itself; a `bad` one stays until it is closed. */
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
