// Replaces a fragment of the page; open menus stay open, and the focus is kept.

import { all, fill } from "../dom.js";
import { fragment } from "../fragment.js";

const FOCUSABLE = "a, button, summary, input, select";

/** Replaces the content of an element, if it has changed. */
export function repaint(place, html) {
  if (place.painted === html) return;
  place.painted = html;
  const focused = all(FOCUSABLE, place).indexOf(document.activeElement);
  const opened = all("details", place).map((element) => element.open);
  fill(place, fragment(html));
  all("details", place).forEach((element, index) => {
    if (opened[index]) element.open = true;
  });
  if (focused >= 0) all(FOCUSABLE, place)[focused]?.focus({ preventScroll: true });
}
