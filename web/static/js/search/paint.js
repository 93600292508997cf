// Puts results on the page. What is being read never moves: later results are added below, and better ones wait
// behind a button until they are asked for. What was painted a moment ago nobody reads yet; it is put in order.

import { all, announce, fill, one } from "../dom.js";
import { fragment } from "../fragment.js";
import { growth } from "./order.js";
import { repaint } from "./repaint.js";

const results = one("#results");
const better = one("#better");
const page = one("#page");
/** The latest piece of each result by its key, and the keys in their right order. */
const pieces = new Map();
let order = [];

/** So long after the first painting, and before anything is touched, results may still change places. */
const SETTLE_MS = 250;
let paintedAt = 0;
let isTouched = false;
for (const kind of ["pointerdown", "wheel", "touchstart", "keydown", "scroll"]) {
  addEventListener(kind, () => (isTouched = true), { passive: true, capture: true });
}
const isSettling = () => !isTouched && performance.now() - paintedAt < SETTLE_MS;

const painted = () => all(".result", results);

/** An empty list, with something that says that results will come. */
export function clear() {
  pieces.clear();
  order = [];
  better.hidden = true;
  const waiting = document.createElement("div");
  waiting.className = "waiting";
  waiting.setAttribute("aria-hidden", "true");
  for (let line = 0; line < 3; line += 1) waiting.append(document.createElement("i"));
  fill(results, waiting);
  for (const place of ["#head", "#facets", "#pages", "#rail-note", "#sources"]) fill(one(place));
}

/** What came while the search runs. */
export function arrive(list) {
  take(list);
  const shown = painted();
  if (shown.length === 0) {
    if (order.length || list.isFinal) paint();
    if (order.length) announce(one("#sum").textContent.trim());
    [paintedAt, isTouched] = [performance.now(), false];
  } else if (isSettling()) {
    paint();
  } else {
    grow(shown);
  }
  tell(list.isFinal);
}

/** Another list of the search: order, filter or page. It was asked for, so all of it changes. */
export function replace(list) {
  pieces.clear();
  take(list);
  paint();
  tell(list.isFinal);
}

/** All results in their right order. */
export function paint() {
  const known = new Map(painted().map((element) => [element.dataset.key, element]));
  fill(results, order.map((key) => current(key, known.get(key))));
  better.hidden = true;
}

/** Tells the other modules what is on the page, once it is painted: what they ask must not hold it up. */
export function tell(isFinal) {
  afterPaint(() => told(isFinal));
}

function afterPaint(work) {
  if (document.hidden) setTimeout(work);
  else requestAnimationFrame(() => setTimeout(work));
}

function told(isFinal) {
  const ids = painted().map((element) => Number(element.dataset.id)).filter((id) => id > 0);
  const detail = { search: Number(page.dataset.search), ids, isFinal };
  document.dispatchEvent(new CustomEvent("tributary:list", { detail }));
}

function take(list) {
  for (const { id, html } of list.results) pieces.set(id, html);
  order = list.ids;
  repaint(one("#head"), list.head);
  afterPaint(() => beside(list));
}

/** What stands beside and below the results. Of several lists that came since, the latest is the right one. */
function beside(list) {
  if (list.ids !== order) return;
  for (const [place, html] of [["#facets", list.facets], ["#pages", list.pages], ["#rail-note", list.note]]) repaint(one(place), html);
}

function grow(shown) {
  const { below, better: count } = growth(shown.map((element) => element.dataset.key), order);
  for (const element of shown) current(element.dataset.key, element, true);
  results.append(...below.map((key) => current(key)));
  better.hidden = count === 0;
  better.textContent = (count === 1 ? better.dataset.one : better.dataset.many).replace("{n}", count);
}

/** The element of a result. One that is open or in use is kept as it is; only its number is brought up to date. */
function current(key, element, inPlace = false) {
  const html = pieces.get(key);
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
  paint();
  tell(page.dataset.running === undefined);
  results.firstElementChild?.focus({ preventScroll: true });
  scrollTo({ top: 0 });
});
