// Starts or follows a search and shows its results as they stream.

import { events, send } from "../api.js";
import { announce, one, toast } from "../dom.js";
import { fragment } from "../fragment.js";
import { clear, receiveList } from "./render.js";
import { pageTransition } from "./page_transition.js";
import { repaint } from "./repaint.js";

const page = one("#page");
const form = one("#ask");
const problem = one("#problem");
/** How often the page reconnects to a stream that broke off. */
const RECONNECTS_MAX = 2;
let current = null;

/** Starts a search, or runs one again, with the fields of the form. */
export async function startSearch(fields) {
  const before = page.hidden ? null : page.dataset.search;
  const stop = prepare();
  try {
    await readStream(await send("POST", "/search/", fields, { accept: "text/event-stream", signal: stop.signal }), stop);
  } catch (error) {
    showError(error, stop, before);
  }
}

/** Follows a running search; `query` is the query string of the list. */
export async function followSearch(search, query, { fresh = false, tries = RECONNECTS_MAX } = {}) {
  const stop = prepare(fresh);
  page.dataset.running = "";
  try {
    const response = await send("GET", `/search/${search}/stream/${query}`, undefined, { accept: "text/event-stream", signal: stop.signal });
    await readStream(response, stop, { query, tries, isOld: true });
  } catch (error) {
    showError(error, stop, null);
  }
}

export const isRunning = () => page.dataset.running !== undefined;

function prepare(fresh = true) {
  current?.abort();
  current = new AbortController();
  current.transition = pageTransition(current.signal);
  problem.hidden = true;
  if (fresh) {
    current.transition.then(showResultPage);
    current.transition.then(clear);
  } else {
    current.transition.now();
  }
  return current;
}

/** Turns the start page into the page of results. */
function showResultPage() {
  page.hidden = false;
  one("#bar").classList.remove("at-start");
  const start = one("main.start");
  if (start) {
    start.remove();
    one("main.found").id = "main";
  }
}

async function readStream(response, stop, { query = "", tries = RECONNECTS_MAX, isOld = false } = {}) {
  let hasEnded = false;
  try {
    for await (const { event, data } of events(response)) {
      if (stop.signal.aborted) return;
      const message = JSON.parse(data);
      if (event === "list") showList(message, stop);
      else if (event === "source") stop.transition.then(() => showSource(message));
      else if (event === "search") onStart(message, stop, isOld);
      else if (event === "done") hasEnded = true;
    }
  } catch (error) {
    if (stop.signal.aborted) return;
    console.warn(error);
  }
  if (stop.signal.aborted) return;
  if (!hasEnded && tries > 0 && page.dataset.search) {
    return followSearch(page.dataset.search, query, { tries: tries - 1 });
  }
  delete page.dataset.running;
  if (hasEnded) announce(one("#sum")?.textContent.trim() ?? "");
  else toast(page.dataset.broken, { bad: true });
}

function showList(message, stop) {
  stop.transition.now();
  receiveList(message);
}

/** The address of a list. It also names the query and the sources, with which other users can run the search. */
export function addressOf(search) {
  const all = new URLSearchParams(search);
  for (const [name, value] of new URLSearchParams(page.dataset.shared)) {
    if (name !== "sort" || !all.has(name)) all.set(name, value);
  }
  return `/?${all}`;
}

function onStart({ id, url, shared, query, facets }, stop, isOld) {
  page.dataset.search = id;
  page.dataset.running = "";
  stop.transition.then(() => repaint(one("#facets"), facets));
  if (isOld) return;
  // Also if the search is run again: the answer belongs to the earlier run.
  one("#answer-slot").dataset.search = id;
  page.dataset.shared = shared;
  const address = addressOf(url.slice(1));
  if (location.pathname + location.search !== address) history.pushState(null, "", address);
  page.dataset.at = location.search;
  form.elements.q.value = query;
  const heading = one("h1", page);
  heading.textContent = heading.dataset.of.replace("{query}", () => query);
  const name = document.title.split(" - ").pop();
  document.title = `${query} - ${name}`;
}

function showSource({ id, html }) {
  document.getElementById(`src-${id}`)?.replaceWith(fragment(html));
}

/** Shows an error below the search box. The previous list stays hidden, because it belongs to another search. */
function showError(error, stop, before) {
  if (stop.signal.aborted || error.name === "AbortError") return;
  stop.transition.now();
  delete page.dataset.running;
  problem.textContent = error.message;
  problem.hidden = false;
  one(".waiting")?.remove();
  if (!before) page.hidden = !page.dataset.search;
  form.elements.q.focus();
}
