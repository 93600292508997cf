// Suggestions below the search box: own searches, sources and tags. Loaded when the user begins to type.

import { get } from "../api.js";
import { all, announce, fill, h, one } from "../dom.js";
import { t, tn } from "../i18n.js";
import { loadStyles } from "../load_styles.js";

/** @typedef {{ kind: "search" | "saved" | "source" | "tag", text: string, query: string, source: number | string | null }} Suggestion */

/** Pause of typing after which suggestions are requested. */
const PAUSE_MS = 120;

const form = one("#ask");
const box = one("#q");
const list = h("ul", { id: "suggestions", role: "listbox", "aria-label": t("Suggestions"), hidden: true });
/** @type {Suggestion[]} */
let suggestions = [];
/** The active option; -1 for none. */
let active = -1;
let timer;
let request = new AbortController();

const KEYS = { ArrowDown: () => move(1), ArrowUp: () => move(-1), Enter: chooseActive, Escape: leave };

/** Turns the search box into a combobox. */
export async function start() {
  await loadStyles("search_suggestions.css");
  form.append(list);
  const attributes = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id };
  for (const [name, value] of Object.entries(attributes)) box.setAttribute(name, value);
  box.addEventListener("input", schedule);
  box.addEventListener("keydown", (event) => {
    if (!event.isComposing && KEYS[event.key]?.()) event.preventDefault();
  });
  box.addEventListener("blur", close);
  form.addEventListener("submit", close);
  // The search box keeps the focus.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = /** @type {Element} */ (event.target).closest("[role=option]");
    if (option) choose(suggestions[[...list.children].indexOf(option)]);
  });
  schedule();
}

function schedule() {
  stop();
  if (box.value.trim()) timer = setTimeout(load, PAUSE_MS);
  else close();
}

/** Cancels what is under way. */
function stop() {
  clearTimeout(timer);
  request.abort();
}

async function load() {
  stop();
  request = new AbortController();
  const { signal } = request;
  const found = await get(`/search/suggestions/?q=${encodeURIComponent(box.value)}`, { signal }).catch(() => []);
  if (!signal.aborted && document.activeElement === box) show(found);
}

function show(found) {
  suggestions = found;
  fill(list, found.map(option));
  activate(-1);
  list.hidden = !found.length;
  box.setAttribute("aria-expanded", String(found.length > 0));
  if (found.length) announce(tn("1 suggestion", "{n} suggestions", found.length));
}

/** @param {Suggestion} suggestion */
function option({ kind, text, query }, place) {
  const properties = { id: `suggestion-${place}`, role: "option", "aria-selected": "false" };
  if (kind === "search" || kind === "saved") {
    return h("li", properties, h("span", { class: "text", dir: "auto" }, text), kind === "saved" && h("span", { class: "faint" }, t("Saved")));
  }
  const name = h("b", {}, kind === "tag" ? `#${text}` : text);
  return h("li", properties, h("span", { class: "text", dir: "auto" }, query && `${query} `, h("span", { class: "faint" }, t("in:"), " "), name));
}

function close() {
  stop();
  show([]);
}

/** Returns whether the key was used. */
function move(step) {
  if (list.hidden) {
    if (step > 0) load();
    return step > 0;
  }
  const count = suggestions.length + 1;
  // Between the last option and the first one is the search box.
  activate(((active + 1 + step + count) % count) - 1);
  return true;
}

function activate(place) {
  list.children[active]?.setAttribute("aria-selected", "false");
  active = place;
  const option = list.children[place];
  if (!option) return box.removeAttribute("aria-activedescendant");
  option.setAttribute("aria-selected", "true");
  option.scrollIntoView({ block: "nearest" });
  box.setAttribute("aria-activedescendant", option.id);
}

function chooseActive() {
  if (active < 0) return false;
  choose(suggestions[active]);
  return true;
}

/** Closes the list, or else leaves the search box, so that keyboard shortcuts work. */
function leave() {
  if (list.hidden) box.blur();
  else close();
  return true;
}

/**
 * Runs a search, or selects a source or the sources with a tag.
 * @param {Suggestion} suggestion
 */
function choose({ query, source }) {
  box.value = query;
  close();
  if (source === null) form.requestSubmit();
  else selectSources(source);
}

function selectSources(source) {
  const tag = String(source).toLowerCase();
  const isWanted = (one) => (typeof source === "number" ? one.value === tag : one.dataset.tags.split(",").includes(tag));
  const sources = all('#pick [name="sources"]');
  if (!sources.some(isWanted)) return;
  for (const one of sources) one.checked = isWanted(one);
  // The source selection updates itself.
  sources[0].dispatchEvent(new Event("change", { bubbles: true }));
}
