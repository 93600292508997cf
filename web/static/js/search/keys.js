// Keyboard shortcuts. They are inactive while the user types.

import { all, one } from "../dom.js";
import { toggle } from "./select.js";

const TYPED = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";

export function keys() {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
    const target = /** @type {Element} */ (event.target);
    if (target.closest(TYPED) || one("dialog[open]")) return;
    const isInMenu = target.closest("details.menu[open], [popover]:popover-open");
    const deed = DEEDS[event.key];
    if (!deed || (isInMenu && event.key.startsWith("Arrow"))) return;
    if (deed(event) !== false) event.preventDefault();
  });
}

const DEEDS = {
  "/": () => {
    one("#q").focus();
    one("#q").select();
  },
  "?": () => one("#keys").showModal(),
  j: () => move(1),
  k: () => move(-1),
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  o: () => press("h2 a"),
  // A link or a button that has the focus knows by itself what Enter means.
  Enter: (event) => (event.target.matches(".result") ? press("h2 a") : false),
  d: () => fold("details.details"),
  w: () => fold("details.why"),
  x: () => (here() ? toggle(here()) : false),
  s: () => follow("#facets .quick a"),
  n: () => follow('.pages a[rel="next"]'),
  p: () => follow('.pages a[rel="prev"]'),
  b: () => follow("#better:not([hidden])"),
};

const here = () => document.activeElement?.closest(".result");

function move(step) {
  const results = all(".result");
  if (results.length === 0) return false;
  const place = results.indexOf(here());
  const next = results[place < 0 ? (step > 0 ? 0 : results.length - 1) : place + step];
  if (!next) return place >= 0 ? undefined : false;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  return true;
}

function press(selector) {
  const link = here() && one(selector, here());
  if (!link) return false;
  link.click();
  return true;
}

function fold(selector) {
  const found = here() && one(selector, here());
  if (!found) return false;
  found.open = !found.open;
  return true;
}

function follow(selector) {
  const link = one(selector);
  if (!link) return false;
  link.click();
  return true;
}
