// Replaces a fragment of the page; open menus stay open, and the focus is kept.

import { all, fill } from "../dom.js";
import { fragment } from "../fragment.js";

const FOCUSABLE = "a, button, summary, input, select";
const TYPED = "input[type=search]";

/** Replaces the content of an element, if it has changed. */
export function repaint(place, html) {
  if (place.painted === html) return;
  place.painted = html;
  const isFocused = matcherOf(place);
  const typed = all(TYPED, place).map((box) => box.value);
  const opened = all("details", place).map((element) => element.open);
  fill(place, fragment(html));
  all("details", place).forEach((element, index) => {
    if (opened[index]) element.open = true;
  });
  all(TYPED, place).forEach((box, index) => {
    if (!typed[index]) return;
    box.value = typed[index];
    box.dispatchEvent(new Event("input", { bubbles: true }));
  });
  all(FOCUSABLE, place).find(isFocused)?.focus({ preventScroll: true });
}

/** Finds the focused element again: a checkbox by its value, anything else by its place. */
function matcherOf(place) {
  const element = /** @type {HTMLInputElement} */ (document.activeElement);
  const index = all(FOCUSABLE, place).indexOf(element);
  if (index < 0) return () => false;
  const { name, value } = element;
  return name && value ? (other) => other.name === name && other.value === value : (_, at) => at === index;
}
