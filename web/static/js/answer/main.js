// The summary card above the results. The results never wait for it, and its errors stay in the card.

import { copy } from "../account/copy.js";
import { send } from "../api.js";
import { announce, fill, one } from "../dom.js";
import { fragment } from "../fragment.js";
import { t, tn } from "../i18n.js";
import { generate } from "./generation.js";
import { showPassages } from "./passages.js";
import { handleRatings } from "./rating.js";
import { describeFailure } from "./failure.js";

const slot = one("#answer-slot");
const parameters = new URLSearchParams(location.search);
const state = { search: "", isLoaded: false, isFinal: false, selection: [], isBusy: false, isWanted: parameters.get("rag") === "true" };

/** Loads the card from the server. Typed instructions are kept. */
async function load() {
  const search = state.search;
  state.isLoaded = true;
  let html = "";
  try {
    const response = await send("GET", `/search/${search}/answer/`, undefined, { accept: "text/html" });
    html = response.status === 204 ? "" : await response.text();
  } catch {
    // The page works without the card.
  }
  if (search !== state.search || state.isBusy) return;
  const typed = one("[name=instructions]", slot)?.value;
  const isOpen = one(".instructions", slot)?.hidden === false;
  fill(slot, html ? fragment(html) : null);
  slot.hidden = !html;
  const form = one(".answer-ask", slot);
  if (!form) return;
  state.isFinal ||= form.dataset.final === "true";
  if (typed) form.elements.instructions.value = typed;
  showInstructions(isOpen);
  updateLabels();
  if (state.isFinal && state.isWanted) {
    state.isWanted = false;
    if (!one(".done", slot)) requestSummary();
  }
}

async function requestSummary() {
  const form = one(".answer-ask", slot);
  if (!form || state.isBusy || !state.isFinal) return;
  const { instructions, prompt } = form.elements;
  const seconds = Number(parameters.get("rag_timeout")) || undefined;
  const body = {
    search_id: Number(state.search),
    result_list: state.selection,
    ai_instructions: instructions.value.trim(),
    prompt: prompt?.value ?? "",
    rag_timeout: seconds,
    // If an answer is already shown, the user wants another one.
    renew: Boolean(one(".done", slot)),
  };
  const search = state.search;
  setBusy(true);
  const outcome = await generate(slot, body);
  if (search !== state.search) return;
  setBusy(false);
  if (outcome.end === "done") {
    await load();
    announce(t("Answer ready."));
  } else if (outcome.end === "failed") {
    showFailure(outcome, seconds ?? form.dataset.time);
  }
}

function setBusy(isBusy) {
  state.isBusy = isBusy;
  one(".failed", slot).hidden = true;
  const done = one(".done", slot);
  if (done) done.hidden = isBusy;
  for (const button of one(".answer-ask", slot).querySelectorAll("button")) button.disabled = isBusy;
}

function showFailure(outcome, seconds) {
  const { title, sentence, next } = describeFailure(outcome, seconds);
  const section = one(".failed", slot);
  one("h2", section).textContent = title;
  one("[data-why]", section).textContent = sentence;
  one("[data-next]", section).textContent = next;
  section.hidden = false;
  announce(`${title}. ${sentence}`);
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

/** Goes to the result of a citation. If it is on another page of the list, the link leads to the source in the card. */
function goToResult(event, cite) {
  const tile = document.getElementById(cite.hash.slice(1));
  const result = one(`.result[data-id="${tile?.dataset.result}"]`);
  if (!result) return;
  event.preventDefault();
  result.scrollIntoView({ block: "center", behavior: "smooth" });
  (one("h2 a, h3 a", result) ?? result).focus({ preventScroll: true });
  result.classList.add("pointed");
  setTimeout(() => result.classList.remove("pointed"), 2400);
}

function onClick(event) {
  const target = event.target;
  const cite = target.closest("a[data-cite]");
  const follow = target.closest("[data-follow]");
  const copyButton = target.closest("[data-copy]");
  if (cite) goToResult(event, cite);
  else if (copyButton) copy(copyButton.dataset.copy, t("Answer copied."));
  else if (target.closest("[data-instructions]")) {
    showInstructions(one(".instructions", slot).hidden);
    if (!one(".instructions", slot).hidden) one("[name=instructions]", slot).focus();
  } else if (follow) {
    showInstructions(true);
    one("[name=instructions]", slot).value = follow.dataset.follow;
    requestSummary();
  }
}

/** Switches to another search and removes the previous answer at once. */
function switchSearch(search) {
  if (state.isBusy) one("[data-cancel]", slot)?.click();
  Object.assign(state, { search: String(search), isLoaded: false, isFinal: false, selection: [], isBusy: false });
  fill(slot);
  slot.hidden = true;
}

function onList({ search, isFinal }) {
  if (String(search) !== state.search) switchSearch(search);
  const hasEnded = isFinal && !state.isFinal;
  state.isFinal = Boolean(isFinal);
  if (!state.isLoaded || hasEnded) load();
  else updateLabels();
}

if (slot) {
  slot.addEventListener("click", onClick);
  slot.addEventListener("submit", (event) => {
    if (!event.target.matches(".answer-ask")) return;
    event.preventDefault();
    requestSummary();
  });
  showPassages(slot);
  handleRatings(slot, ".answer.done", (answer) => answer.dataset.ratingPath);
  document.addEventListener("tributary:list", (event) => onList(event.detail));
  document.addEventListener("tributary:selection", (event) => {
    state.selection = event.detail.ids.map(Number).filter((id) => id > 0);
    updateLabels();
  });
  // The card is not requested before results are on the page.
  const watch = new MutationObserver(() => {
    if (slot.dataset.search !== state.search) switchSearch(slot.dataset.search);
  });
  watch.observe(slot, { attributes: true, attributeFilter: ["data-search"] });
  if (slot.dataset.search) {
    state.search = slot.dataset.search;
    load();
  }
}
