// Starts or follows a search and shows its results as they stream.

import { events, send } from "../api.js";
import { announce, fill, one, toast } from "../dom.js";
import { fragment } from "../fragment.js";
import { clear, receiveList } from "./render.js";
import { pageTransition } from "./page_transition.js";

const page = one("#page");
const form = one("#ask");
const problem = one("#problem");
/** How often a stream that broke off is taken up again. */
const TRIES = 2;
let current = null;

/** Starts a search, or runs one again, by the fields of the form. */
export async function ask(fields) {
  const before = page.hidden ? null : page.dataset.search;
  const stop = begin();
  try {
    await readStream(await send("POST", "/search/", fields, { accept: "text/event-stream", signal: stop.signal }), stop);
  } catch (error) {
    refused(error, stop, before);
  }
}

/** Takes up a search that runs already; `query` says which list of it. */
export async function follow(search, query, { fresh = false, tries = TRIES } = {}) {
  const stop = begin(fresh);
  page.dataset.running = "";
  try {
    const response = await send("GET", `/search/${search}/stream/${query}`, undefined, { accept: "text/event-stream", signal: stop.signal });
    await readStream(response, stop, { query, tries, isOld: true });
  } catch (error) {
    refused(error, stop, null);
  }
}

export const isRunning = () => page.dataset.running !== undefined;

function begin(fresh = true) {
  current?.abort();
  current = new AbortController();
  current.transition = pageTransition(current.signal);
  problem.hidden = true;
  if (fresh) {
    current.transition.then(show);
    current.transition.then(clear);
  } else {
    current.transition.now();
  }
  return current;
}

/** The start page becomes the page of a list. */
function show() {
  page.hidden = false;
  one("#bar").classList.remove("at-start");
  const start = one("main.start");
  if (start) {
    start.remove();
    one("main.found").id = "main";
  }
}

async function readStream(response, stop, { query = "", tries = TRIES, isOld = false } = {}) {
  let hasEnded = false;
  try {
    for await (const { event, data } of events(response)) {
      if (stop.signal.aborted) return;
      const message = JSON.parse(data);
      if (event === "list") list(message, stop);
      else if (event === "source") stop.transition.then(() => source(message));
      else if (event === "search") begun(message, stop, isOld);
      else if (event === "done") hasEnded = true;
    }
  } catch (error) {
    if (stop.signal.aborted) return;
    console.warn(error);
  }
  if (stop.signal.aborted) return;
  if (!hasEnded && tries > 0 && page.dataset.search) {
    return follow(page.dataset.search, query, { tries: tries - 1 });
  }
  delete page.dataset.running;
  if (hasEnded) announce(one("#sum")?.textContent.trim() ?? "");
  else toast(page.dataset.broken, { bad: true });
}

function list(message, stop) {
  stop.transition.now();
  receiveList(message);
}

function begun({ id, url, query, rail }, stop, isOld) {
  page.dataset.search = id;
  page.dataset.running = "";
  one("#answer-slot").dataset.search = id;
  stop.transition.then(() => fill(one("#sources"), fragment(rail)));
  if (isOld) return;
  if (location.pathname + location.search !== url) history.pushState(null, "", url);
  page.dataset.at = location.search;
  form.elements.q.value = query;
  const heading = one("h1", page);
  heading.textContent = heading.dataset.of.replace("{query}", () => query);
  const name = document.title.split(" - ").pop();
  document.title = `${query} - ${name}`;
}

function source({ id, html }) {
  const line = document.getElementById(`src-${id}`);
  if (line) line.replaceWith(fragment(html));
  else one("#sources").append(fragment(html));
}

/** Says beside the box what is wrong; the list of before stays away, because it was another one. */
function refused(error, stop, before) {
  if (stop.signal.aborted || error.name === "AbortError") return;
  stop.transition.now();
  delete page.dataset.running;
  problem.textContent = error.message;
  problem.hidden = false;
  one(".waiting")?.remove();
  if (!before) page.hidden = !page.dataset.search;
  form.elements.q.focus();
}
