// Renders results. Results that are being read never move: later ones are added below, and better ones wait behind a
// button. Only for a moment after the first rendering may results change places.

import { all, announce, fill, one } from "../dom.js";
import { fragment } from "../fragment.js";
import { growth } from "./order.js";
import { repaint } from "./repaint.js";

const results = one("#results");
const better = one("#better");
/** Only if the service has a second reader. */
const betterOrder = one("#better-order");
const page = one("#page");
/** The latest fragment of each result by key, and the keys in order. */
const fragments = new Map();
let order = [];

/** How long after the first rendering results may change places, unless the user interacts. */
const SETTLE_MS = 250;
let paintedAt = 0;
let isTouched = false;
for (const kind of ["pointerdown", "wheel", "touchstart", "keydown", "scroll"]) {
  addEventListener(kind, () => (isTouched = true), { passive: true, capture: true });
}
const isSettling = () => !isTouched && performance.now() - paintedAt < SETTLE_MS;

const renderedResults = () => all(".result", results);

/** Shows an empty list with a loading indicator. */
export function clear() {
  fragments.clear();
  order = [];
  better.hidden = true;
  if (betterOrder) betterOrder.hidden = true;
  const waiting = document.createElement("div");
  waiting.className = "waiting";
  waiting.setAttribute("aria-hidden", "true");
  for (let line = 0; line < 3; line += 1) waiting.append(document.createElement("i"));
  fill(results, waiting);
  for (const place of ["#head", "#facets", "#pages"]) repaint(one(place), "");
}

/** Shows a list that arrived while the search runs. */
export function receiveList(list) {
  storeList(list);
  const shown = renderedResults();
  if (shown.length === 0) {
    if (order.length || list.isFinal) render();
    if (order.length) announce(one("#sum").textContent.trim());
    [paintedAt, isTouched] = [performance.now(), false];
  } else if (isSettling()) {
    render();
  } else {
    addResults(shown);
  }
  announceList(list.isFinal);
}

/** Shows another list of the search: sort order, filter or page. */
export function replace(list) {
  fragments.clear();
  storeList(list);
  render();
  announceList(list.isFinal);
}

/** Renders all results in order. */
export function render() {
  const known = new Map(renderedResults().map((element) => [element.dataset.key, element]));
  fill(results, order.map((key) => updateResult(key, known.get(key))));
  better.hidden = true;
}

/** Notifies the other modules of the list after it was painted, so that their requests do not delay it. */
export function announceList(isFinal) {
  afterPaint(() => dispatchList(isFinal));
}

function afterPaint(work) {
  if (document.hidden) setTimeout(work);
  else requestAnimationFrame(() => setTimeout(work));
}

function dispatchList(isFinal) {
  const ids = renderedResults().map((element) => Number(element.dataset.id)).filter((id) => id > 0);
  const detail = { search: Number(page.dataset.search), ids, isFinal };
  document.dispatchEvent(new CustomEvent("tributary:list", { detail }));
}

function storeList(list) {
  for (const { id, html } of list.results) fragments.set(id, html);
  order = list.ids;
  repaint(one("#head"), list.head);
  afterPaint(() => updateSides(list));
}

/** Updates what is beside and below the results, if the list is still the latest. */
function updateSides(list) {
  if (list.ids !== order) return;
  for (const [place, html] of [["#facets", list.facets], ["#pages", list.pages]]) repaint(one(place), html);
}

function addResults(shown) {
  const { below, better: count } = growth(shown.map((element) => element.dataset.key), order);
  for (const element of shown) updateResult(element.dataset.key, element, true);
  results.append(...below.map((key) => updateResult(key)));
  better.hidden = count === 0;
  better.textContent = (count === 1 ? better.dataset.one : better.dataset.many).replace("{n}", count);
}

/** The element of a result. One that is open or in use is kept; only its confidence is updated. */
function updateResult(key, element, inPlace = false) {
  const html = fragments.get(key);
  if (html === undefined || element?.painted === html) return element;
  const fresh = one(".result", fragment(html));
  fresh.painted = html;
  if (!element) return fresh;
  if (inPlace || element.contains(document.activeElement)) {
    if (fresh.dataset.id) element.dataset.id = fresh.dataset.id;
    if (element.contains(document.activeElement) || one("details[open], :checked", element)) {
      one(".conf", element).replaceWith(one(".conf", fresh));
      return element;
    }
  }
  element.replaceWith(fresh);
  return fresh;
}

better.addEventListener("click", () => {
  render();
  announceList(page.dataset.running === undefined);
  results.firstElementChild?.focus({ preventScroll: true });
  scrollTo({ top: 0 });
});
