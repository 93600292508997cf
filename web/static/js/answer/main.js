// The summary card above the results. The server renders it with the list; for a search that begins on this page it is
// loaded when there are results. The results never wait for it, and its errors stay in the card.

import { send } from "../api.js";
import { announce, fill, one, toast } from "../dom.js";
import { fragment } from "../fragment.js";
import { t, tn } from "../i18n.js";
import { filterOf, isFirstPage } from "./place.js";

const slot = one("#answer-slot");
const parameters = new URLSearchParams(location.search);
/** `run` counts the searches of this page, also repeated ones. */
const state = { search: "", run: 0, filter: "", isLoaded: false, isFinal: false, selection: [], isBusy: false, isWanted: parameters.get("rag") === "true" };

let finished;
/** The module for answers, which handles their clicks. */
function loadFinished() {
  finished ??= import("./finished.js").then((module) => {
    module.handleAnswers(slot);
    return module;
  });
  return finished;
}

/** Loads the card. Typed instructions are kept. A new answer is shown in full. */
async function load({ isNew = false } = {}) {
  const { search, run } = state;
  state.isLoaded = true;
  let card = null;
  try {
    const response = await send("GET", `/search/${search}/answer/${location.search}`, undefined, { accept: "text/html" });
    if (response.status !== 204) card = fragment(await response.text());
    const done = card && one(".done", card);
    if (done && isNew) (await loadFinished()).setOpen(done, true);
  } catch {
    // The page works without the card.
  }
  if (run !== state.run || state.isBusy) return;
  const typed = one("[name=instructions]", slot)?.value;
  const isOpen = one(".instructions", slot)?.hidden === false;
  fill(slot, card);
  slot.hidden = !card;
  const form = one(".answer-ask", slot);
  if (form && typed) form.elements.instructions.value = typed;
  if (form) showInstructions(isOpen);
  showCard();
}

/** Prepares the card that is on the page. */
function showCard() {
  const done = one(".done", slot);
  if (done) loadFinished().then(({ markClipped }) => markClipped(done));
  state.isFinal ||= one(".answer-ask", slot)?.dataset.final === "true";
  updateLabels();
  askIfWanted();
}

/** The URL may ask for an answer. */
function askIfWanted() {
  if (!state.isFinal || !state.isWanted || !one(".answer-ask", slot)) return;
  state.isWanted = false;
  if (!one(".done", slot)) requestSummary();
}

/** Requests an answer from these results; none means all. */
async function requestSummary(items = state.selection) {
  const form = one(".answer-ask", slot);
  if (!form || state.isBusy || !state.isFinal) return;
  const { instructions, prompt } = form.elements;
  const seconds = Number(parameters.get("rag_timeout")) || undefined;
  const body = {
    search_id: Number(state.search),
    result_list: items,
    ai_instructions: instructions.value.trim(),
    prompt: prompt?.value ?? "",
    rag_timeout: seconds,
    // If an answer is already shown, the user wants another one.
    renew: Boolean(one(".done", slot)),
  };
  const { run } = state;
  setBusy(true);
  slot.classList.remove("elsewhere");
  const generation = await import("./generation.js").catch(() => null);
  if (run !== state.run) return;
  const outcome = await generation?.generate(slot, body);
  if (run !== state.run) return;
  if (outcome?.end === "done") return showNew();
  setBusy(false);
  if (!outcome) toast(t("The service did not respond. Check your connection and try again."), { bad: true });
  else if (outcome.end === "failed") {
    (await import("./failure.js")).showFailure(one(".failed", slot), outcome, seconds ?? form.dataset.time);
  }
}

/** Shows the answer that was just written. Its text stays until then. */
async function showNew() {
  state.isBusy = false;
  await load({ isNew: true });
  announce(t("Answer ready."));
}

function setBusy(isBusy) {
  state.isBusy = isBusy;
  one(".failed", slot).hidden = true;
  const done = one(".done", slot);
  if (done) done.hidden = isBusy;
  for (const button of one(".answer-ask", slot).querySelectorAll("button")) button.disabled = isBusy;
}

/** Updates the label of the button and the link to the Assistant. */
function updateLabels() {
  const form = one(".answer-ask", slot);
  if (!form) return;
  const count = state.selection.length;
  const sentence = count
    ? tn("Answer from the selected result", "Answer from {n} selected results", count)
    : one(".done", slot) ? t("Regenerate answer") : t("Answer from these results");
  one("[data-ask-label]", form).textContent = sentence;
  one("[data-ask]", form).disabled = !state.isFinal || state.isBusy;
  const link = one("[data-to-chat]", form);
  link.hidden = count === 0;
  link.href = `/chat/?attach=${state.selection.map((id) => `${state.search}:${id}`).join(",")}`;
}

function showInstructions(isOpen) {
  const panel = one(".instructions", slot);
  panel.hidden = !isOpen;
  one("[data-instructions]", slot).setAttribute("aria-expanded", String(isOpen));
}

function onClick({ target }) {
  const follow = target.closest("[data-follow]");
  const filtered = target.closest("[data-ask-filtered]");
  if (filtered) requestSummary(filtered.dataset.askFiltered.split(",").map(Number));
  else if (target.closest("[data-instructions]")) {
    showInstructions(one(".instructions", slot).hidden);
    if (!one(".instructions", slot).hidden) one("[name=instructions]", slot).focus();
  } else if (follow) {
    showInstructions(true);
    one("[name=instructions]", slot).value = follow.dataset.follow;
    requestSummary();
  }
}

/** Switches to another search, or another run of it, and removes the previous answer at once. */
function switchSearch(search) {
  if (state.isBusy) one("[data-cancel]", slot)?.click();
  Object.assign(state, { search: String(search), run: state.run + 1, filter: "", isLoaded: false, isFinal: false, selection: [], isBusy: false });
  fill(slot);
  slot.hidden = true;
}

function onList({ search, isFinal }) {
  if (String(search) !== state.search) switchSearch(search);
  state.isFinal = Boolean(isFinal);
  if (!state.isLoaded) load();
  else {
    updateLabels();
    askIfWanted();
  }
}

/** Another page or filter of the list. This runs before the list is painted, so that it does not move afterwards. */
function onResults() {
  if (!state.isBusy) slot.classList.toggle("elsewhere", !isFirstPage(location.search));
  const filter = filterOf(location.search);
  if (filter === state.filter) return;
  state.filter = filter;
  if (one(".basis", slot)) import("./basis.js").then(({ updateBasis }) => updateBasis(slot, state.search, filter));
}

if (slot) {
  slot.addEventListener("click", onClick);
  slot.addEventListener("submit", (event) => {
    if (!event.target.matches(".answer-ask")) return;
    event.preventDefault();
    requestSummary();
  });
  document.addEventListener("tributary:list", (event) => onList(event.detail));
  document.addEventListener("tributary:selection", (event) => {
    state.selection = event.detail.ids.map(Number).filter((id) => id > 0);
    slot.classList.toggle("is-selecting", state.selection.length > 0);
    updateLabels();
  });
  // Written when a search starts, with the same id if it is run again.
  new MutationObserver(() => switchSearch(slot.dataset.search)).observe(slot, { attributes: true, attributeFilter: ["data-search"] });
  new MutationObserver(onResults).observe(one("#results"), { childList: true });
  if (slot.dataset.search) {
    Object.assign(state, { search: slot.dataset.search, filter: filterOf(location.search), isLoaded: true });
    showCard();
  }
}
