// Cached documents that the user may see: search, check, remove.

import { get } from "../api.js";
import { checkLiveness, removeCopy, saveUrl, livenessText } from "../cache/actions.js";
import { announce, fill, h, one, toast } from "../dom.js";
import { externalLink } from "../externals.js";
import { number, t, time, tn } from "../i18n.js";
import { field, form } from "./form.js";
import { loadUser } from "./me.js";

const ITEMS = 10;
/** Delay after the last keystroke before the list is requested. */
const TYPING_MS = 250;
const KB = 1024;

export async function mount(place) {
  const view = { page: 1, text: "", state: "" };
  const list = h("div");
  const toolbar = h("div", { class: "toolbar" });
  const show = async () => {
    const count = await draw(list, view, show);
    toolbar.hidden = !count && !view.text && !view.state;
    return count;
  };
  const search = h("input", { type: "search", "aria-label": t("Search cached documents"), placeholder: t("Search cached documents"), autocomplete: "off", maxlength: 200 });
  let waiting;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => applyFilter(view, { text: search.value.trim() }, show), TYPING_MS);
  });
  const options = [["", t("all")], ["indexed", t("cached")], ["pinned", t("pinned")], ["known", t("not cached yet")]];
  const state = h("select", null, options.map(([value, name]) => h("option", { value }, name)));
  state.addEventListener("change", () => applyFilter(view, { state: state.value }, show));
  const [{ features }, count] = await Promise.all([get("/agent/status/"), show()]);
  const disabledNote = !features.cache && h("p", { class: "empty-state" }, t("The semantic cache is not enabled. Nothing is stored or searched."));
  fill(place, disabledNote, fill(toolbar, search, h("label", { class: "toolbar-choice" }, t("State"), state)), (features.cache || count > 0) && list, features.cache && urlForm(show));
}

/** Form that saves a web page by its URL. */
function urlForm(show) {
  const url = field(t("Save a page by URL"), { type: "url", required: true, maxlength: 2048, placeholder: "https://example.org/report", autocomplete: "off" });
  const element = form({ url }, t("Save a copy"), async () => {
    const { message } = await saveUrl(url.input.value.trim());
    url.input.value = "";
    toast(message);
    await show();
  }, "soft");
  element.classList.add("inline", "address");
  return element;
}

/** Shows the first page with changed filters. */
async function applyFilter(view, change, show) {
  Object.assign(view, change, { page: 1 });
  try {
    announce(tn("One cached document", "{n} cached documents", await show()));
  } catch (error) {
    toast(error.message, { bad: true });
  }
}

/** Shows a page of the list. Returns the number of matching documents. */
async function draw(list, view, show) {
  const query = new URLSearchParams({ page: view.page, items: String(ITEMS) });
  for (const name of ["text", "state"]) if (view[name]) query.set(name, view[name]);
  view.latest = query;
  const found = await get(`/cache/?${query}`);
  // The filters have changed in the meantime.
  if (view.latest !== query) return found.count;
  const turn = async (step) => {
    view.page += step;
    await show();
    one("a", list)?.focus();
  };
  if (!found.results.length) fill(list, h("p", { class: "empty-state" }, emptyMessage(view)));
  else fill(list, h("ul", { class: "item-list documents" }, found.results.map((one) => line(one, show))), pager(found, view, turn));
  return found.count;
}

const emptyMessage = ({ text, state }) =>
  text || state ? t("No matching documents.") : t("No cached documents yet. A copy is saved when an answer reads a page, or when you select “Save a copy” on a result.");

function pager({ count, previous, next }, { page }, turn) {
  if (!previous && !next) return null;
  return h("nav", { class: "buttons", "aria-label": t("Pages of cached documents") },
    h("button", { type: "button", class: "soft small", disabled: !previous, onclick: () => turn(-1) }, t("Previous")),
    h("span", { class: "muted num" }, t("Page {page} of {pages}", { page: number(page), pages: number(Math.ceil(count / ITEMS)) })),
    h("button", { type: "button", class: "soft small", disabled: !next, onclick: () => turn(1) }, t("Next")));
}

function line(one, show) {
  const title = one.title || one.url;
  const fresh = h("span", null, freshness(one));
  const about = [state(one), one.source_provider, one.state !== "known" && fresh, one.body_bytes > 0 && size(one.body_bytes), ...(one.matter_tags ?? []).map((tag) => `#${tag}`)];
  const checkCopy = async () => {
    const answer = await checkLiveness(one.signal_id);
    fill(fresh, statusText(answer.verdict, livenessText(answer)));
    announce(`${title}: ${livenessText(answer)}`);
  };
  const remove = async () => {
    const { is_admin: isForAll } = await loadUser();
    if (!(await removeCopy(one.signal_id, title, isForAll))) return;
    toast(t("Removed the copy of “{title}”", { title }));
    await show();
  };
  return h("li", { "data-signal": one.signal_id },
    h("div", null, h("b", null, externalLink(one.url, title)), h("p", { class: "meta num" }, about.filter(Boolean).map((part) => (part.nodeType ? part : h("span", null, part))))),
    h("div", { class: "buttons" },
      one.state !== "known" && h("button", { type: "button", class: "soft small", "aria-label": t("Check now: {title}", { title }), onclick: attempt(checkCopy) }, t("Check now")),
      h("button", { type: "button", class: "soft small", "aria-label": t("Remove {title}", { title }), onclick: attempt(remove) }, t("Remove"))));
}

function state({ state: word }) {
  if (word === "pinned") return h("span", { class: "badge pin" }, t("pinned"));
  if (word === "indexed") return h("span", { class: "badge" }, t("cached"));
  return h("span", { class: "badge quiet" }, t("not cached yet"));
}

/** Status of the document at its source. */
function freshness({ liveness, last_verified: verified, stale }) {
  if (liveness === "gone") return statusText("gone", t("No longer at the source"));
  if (!verified) return statusText("unknown", t("Not checked yet"));
  return statusText(stale ? "stale" : liveness, t("Last checked {when}", { when: time(verified) }));
}

const statusText = (word, sentence) => h("span", { class: `state ${{ alive: "good", gone: "bad", stale: "warn" }[word] ?? ""}` }, sentence);
const size = (bytes) => t("{n} kB", { n: number(Math.max(1, Math.round(bytes / KB))) });

/** Click handler that shows the error of an action. The button is busy in the meantime and keeps the focus. */
const attempt = (action) => async ({ currentTarget: button }) => {
  if (button.ariaBusy) return;
  button.ariaBusy = "true";
  try {
    await action();
  } catch (error) {
    toast(error.message, { bad: true });
  } finally {
    button.ariaBusy = null;
  }
};
