// Keyboard shortcuts. They are inactive while the user types.

import { all, one } from "../dom.js";
import { toggle } from "./select.js";

const TEXT_INPUTS = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";

export function handleKeys() {
  one("#q").addEventListener("keydown", leaveSearchBox);
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
    const target = /** @type {Element} */ (event.target);
    if (target.closest(TEXT_INPUTS) || one("dialog[open]")) return;
    // Arrow keys also move within menus, and scroll tables.
    const isInMenu = target.closest("details.menu[open], [popover]:popover-open, .scroll");
    const action = ACTIONS[event.key];
    if (!action || (isInMenu && event.key.startsWith("Arrow"))) return;
    if (action(event) !== false) event.preventDefault();
  });
}

const ACTIONS = {
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
  // Enter activates a link or button that has the focus.
  Enter: (event) => (event.target.matches(".result") ? press("h2 a") : false),
  ArrowRight: () => (currentResult() ? openPreview(currentResult()) : false),
  ArrowLeft: () => (one("#preview") ? closePreview() : false),
  d: () => toggleDetails("details.details"),
  w: () => toggleDetails("details.why"),
  x: () => (currentResult() ? toggle(currentResult()) : false),
  s: () => clickLink("#facets [name=starred]"),
  n: () => clickLink('.pages a[rel="next"]'),
  p: () => clickLink('.pages a[rel="prev"]'),
  b: () => clickLink("#better:not([hidden])"),
};

/** Escape leaves the search box, so that the shortcuts work, and keeps the query. An open list of suggestions closes first. */
function leaveSearchBox(event) {
  if (event.key !== "Escape" || event.defaultPrevented || event.target.ariaExpanded === "true") return;
  event.preventDefault();
  event.target.blur();
}

const openPreview = (result) => void import("./preview.js").then(({ showPreview }) => showPreview(result));
const closePreview = () => void import("./preview.js").then(({ hidePreview }) => hidePreview());

const currentResult = () => document.activeElement?.closest(".result");

function move(step) {
  const results = all(".result");
  if (results.length === 0) return false;
  const place = results.indexOf(currentResult());
  const next = results[place < 0 ? (step > 0 ? 0 : results.length - 1) : place + step];
  if (!next) return place >= 0 ? undefined : false;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  return true;
}

function press(selector) {
  const link = currentResult() && one(selector, currentResult());
  if (!link) return false;
  link.click();
  return true;
}

function toggleDetails(selector) {
  const found = currentResult() && one(selector, currentResult());
  if (!found) return false;
  found.open = !found.open;
  return true;
}

function clickLink(selector) {
  const link = one(selector);
  if (!link) return false;
  link.click();
  return true;
}
