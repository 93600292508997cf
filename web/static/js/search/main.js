// The search page. What few lists need is loaded on demand.

import { startSearch, followSearch } from "./stream.js";
import { handleKeys } from "./keys.js";
import { handleFilters, handleLinks } from "./links.js";
import { announceList } from "./render.js";
import { initPicker, searchFields } from "./picker.js";
import { initSelection } from "./select.js";
import { one } from "../dom.js";

/** A form that is submitted again within this time, with the same fields, starts one search. */
const REPEAT_MS = 500;

const form = one("#ask");
const page = one("#page");
const CACHE_ACTIONS = ["save-copy", "check", "remove-copy", "pin", "unpin", "reject"].map((name) => `#results [data-${name}]`).join();
let submitted = { text: "", at: -Infinity };

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const fields = searchFields(form);
  if (!fields.get("q")?.trim()) return askForQuery(form.elements.q);
  if (isRepeated(String(fields), event.timeStamp)) return;
  one("#pick").open = false;
  startSearch(fields);
});

/** The browser says in its own words that the field must be filled in. To it, blanks are a value. */
function askForQuery(box) {
  box.value = "";
  box.reportValidity();
}

/** Whether this is another click or key press for the search that was just started. */
function isRepeated(text, at) {
  const isSame = text === submitted.text && at - submitted.at < REPEAT_MS;
  submitted = { text, at };
  return isSame;
}

form.elements.q.addEventListener("input", async () => (await import("./suggestions.js")).start(), { once: true });
one("#more").addEventListener("toggle", () => import("../history/actions.js"), { once: true });
document.addEventListener("tributary:list", () => one("figure.chart") && import("../charts/main.js"));
if (page.dataset.secondReader !== undefined) {
  document.addEventListener("tributary:list", async ({ detail }) => (await import("./better_order.js")).offerBetterOrder(detail.isFinal));
}
document.addEventListener("click", async (event) => {
  const button = /** @type {Element} */ (event.target).closest(CACHE_ACTIONS);
  if (button) (await import("../cache/results.js")).runAction(button);
});
// `toggle` events do not bubble.
document.addEventListener("toggle", async (event) => {
  const target = /** @type {Element} */ (event.target);
  if (target.matches?.(".result details.details[open]")) (await import("../account/preference_menu.js")).addPreferences(target);
}, true);

initPicker(form);
handleLinks();
handleFilters();
initSelection();
handleKeys();

if (page.dataset.running !== undefined) followSearch(page.dataset.search, location.search);
// Modules that listen for the list may not be loaded yet.
else if (page.dataset.search) addEventListener("load", () => announceList(true));
