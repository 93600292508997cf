// The summary card above the results. The results never wait for it, and its errors stay in the card.

import { copy } from "../account/copy.js";
import { send } from "../api.js";
import { announce, fill, one } from "../dom.js";
import { fragment } from "../fragment.js";
import { t, tn } from "../i18n.js";
import { generate } from "./generation.js";
import { passages } from "./passages.js";
import { ratings } from "./rating.js";
import { describeFailure } from "./failure.js";

const slot = one("#answer-slot");
const wants = new URLSearchParams(location.search);
const state = { search: "", isLoaded: false, isFinal: false, selection: [], isBusy: false, isWanted: wants.get("rag") === "true" };

/** Fetches the piece of the server. What was typed stays. */
async function load() {
  const search = state.search;
  state.isLoaded = true;
  let html = "";
  try {
    const response = await send("GET", `/search/${search}/answer/`, undefined, { accept: "text/html" });
    html = response.status === 204 ? "" : await response.text();
  } catch {
    // Without an answer the page is whole.
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
  open(isOpen);
  label();
  if (state.isFinal && state.isWanted) {
    state.isWanted = false;
    if (!one(".done", slot)) ask();
  }
}

async function ask() {
  const form = one(".answer-ask", slot);
  if (!form || state.isBusy || !state.isFinal) return;
  const { instructions, prompt } = form.elements;
  const seconds = Number(wants.get("rag_timeout")) || undefined;
  const body = {
    search_id: Number(state.search),
    result_list: state.selection,
    ai_instructions: instructions.value.trim(),
    prompt: prompt?.value ?? "",
    rag_timeout: seconds,
    // Who sees an answer and asks again wants another one than that.
    renew: Boolean(one(".done", slot)),
  };
  const search = state.search;
  busy(true);
  const ended = await generate(slot, body);
  if (search !== state.search) return;
  busy(false);
  if (ended.end === "done") {
    await load();
    announce(t("Answer ready."));
  } else if (ended.end === "failed") {
    failed(ended, seconds ?? form.dataset.time);
  }
}

function busy(isBusy) {
  state.isBusy = isBusy;
  one(".failed", slot).hidden = true;
  const done = one(".done", slot);
  if (done) done.hidden = isBusy;
  for (const button of one(".answer-ask", slot).querySelectorAll("button")) button.disabled = isBusy;
}

function failed(ended, seconds) {
  const { title, sentence, next } = describeFailure(ended, seconds);
  const section = one(".failed", slot);
  one("h2", section).textContent = title;
  one("[data-why]", section).textContent = sentence;
  one("[data-next]", section).textContent = next;
  section.hidden = false;
  announce(`${title}. ${sentence}`);
}

/** What the button says, and where the Assistant is asked about what is selected. */
function label() {
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

function open(isOpen) {
  const panel = one(".instructions", slot);
  panel.hidden = !isOpen;
  one("[data-instructions]", slot).setAttribute("aria-expanded", String(isOpen));
}

/** A citation leads to its result; where that is on another page of the list, to the source in the card. */
function lead(event, cite) {
  const tile = document.getElementById(cite.hash.slice(1));
  const result = one(`.result[data-id="${tile?.dataset.result}"]`);
  if (!result) return;
  event.preventDefault();
  result.scrollIntoView({ block: "center", behavior: "smooth" });
  (one("h2 a, h3 a", result) ?? result).focus({ preventScroll: true });
  result.classList.add("pointed");
  setTimeout(() => result.classList.remove("pointed"), 2400);
}

function clicked(event) {
  const target = event.target;
  const cite = target.closest("a[data-cite]");
  const follow = target.closest("[data-follow]");
  const copied = target.closest("[data-copy]");
  if (cite) lead(event, cite);
  else if (copied) copy(copied.dataset.copy, t("Answer copied."));
  else if (target.closest("[data-instructions]")) {
    open(one(".instructions", slot).hidden);
    if (!one(".instructions", slot).hidden) one("[name=instructions]", slot).focus();
  } else if (follow) {
    open(true);
    one("[name=instructions]", slot).value = follow.dataset.follow;
    ask();
  }
}

/** Another search: what was said of the one before goes at once. */
function leave(search) {
  if (state.isBusy) one("[data-cancel]", slot)?.click();
  Object.assign(state, { search: String(search), isLoaded: false, isFinal: false, selection: [], isBusy: false });
  fill(slot);
  slot.hidden = true;
}

function listed({ search, isFinal }) {
  if (String(search) !== state.search) leave(search);
  const hasEnded = isFinal && !state.isFinal;
  state.isFinal = Boolean(isFinal);
  if (!state.isLoaded || hasEnded) load();
  else label();
}

if (slot) {
  slot.addEventListener("click", clicked);
  slot.addEventListener("submit", (event) => {
    if (!event.target.matches(".answer-ask")) return;
    event.preventDefault();
    ask();
  });
  passages(slot);
  ratings(slot, ".answer.done", (answer) => answer.dataset.ratingPath);
  document.addEventListener("tributary:list", (event) => listed(event.detail));
  document.addEventListener("tributary:selection", (event) => {
    state.selection = event.detail.ids.map(Number).filter((id) => id > 0);
    label();
  });
  // The list comes first: nothing is asked for the answer before results are on the page.
  const watch = new MutationObserver(() => {
    if (slot.dataset.search !== state.search) leave(slot.dataset.search);
  });
  watch.observe(slot, { attributes: true, attributeFilter: ["data-search"] });
  if (slot.dataset.search) {
    state.search = slot.dataset.search;
    load();
  }
}
