// Requests a summary and shows its progress and text.

import { ApiError, del, events, prefix, send } from "../api.js";
import { all, announce, fill, h, one } from "../dom.js";
import { number, t } from "../i18n.js";
import { numberCitations } from "./citation_order.js";
import { initialState, positionOf, applyEvent } from "./progress.js";

/** Resolves to the outcome: `{end: "done" | "failed" | "stopped", code, message}`. Never rejects. */
export async function generate(slot, body) {
  const section = one(".generating", slot);
  const stop = new AbortController();
  const cancel = one("[data-cancel]", section);
  const onCancel = () => {
    stop.abort();
    del(`/rag-search/${body.search_id}/`).catch(() => {});
  };
  cancel.addEventListener("click", onCancel);
  const clock = tick(one("[data-clock]", section), body.rag_timeout ?? one("form", slot).dataset.time);
  section.hidden = false;
  render(section, initialState(), "");
  renderSources(section, []);
  let outcome;
  try {
    outcome = await follow(section, body, stop.signal);
    return outcome;
  } catch (error) {
    if (stop.signal.aborted) return { end: "stopped" };
    const known = error instanceof ApiError;
    const message = known ? error.message : t("The connection was lost before the answer was complete.");
    return { end: "failed", code: known ? error.code : "", message };
  } finally {
    clearInterval(clock);
    cancel.removeEventListener("click", onCancel);
    // The caller replaces the text with the answer, so that the list below moves once.
    section.hidden = outcome?.end !== "done";
  }
}

async function follow(section, body, signal) {
  const request = send("POST", `${prefix}/rag-search/`, body, { signal, accept: "text/event-stream" });
  // Loaded on demand, because most lists have no answer.
  const [response, { stripMarkdown }] = await Promise.all([request, import("./markdown.js")]);
  let state = initialState();
  for await (const { event, data } of events(response)) {
    const before = state;
    state = applyEvent(state, event, JSON.parse(data));
    if (state.stage !== before.stage) announceStage(section, state);
    render(section, state, numberCitations(stripMarkdown(state.text), state.sources.map((source) => source.n)));
    if (state.sources !== before.sources) renderSources(section, state.sources);
    if (state.end) return state;
  }
  throw new Error("the stream ended early");
}

function announceStage(section, state) {
  announce(one(`[data-stage="${state.stage}"]`, section)?.firstChild?.textContent ?? "");
}

function render(section, state, text) {
  for (const line of all("[data-stage]", section)) {
    const place = positionOf(line.dataset.stage, state.stage);
    line.dataset.place = place;
    if (line.dataset.stage === "waiting") line.hidden = place !== "now";
    if (place === "now") line.setAttribute("aria-current", "step");
    else line.removeAttribute("aria-current");
    const counts = place === "now" && state.of > 0;
    one(".count", line).textContent = counts ? t("{n} of {all}", { n: number(state.done), all: number(state.of) }) : "";
  }
  one("[data-text]", section).textContent = text;
}

/** The sources that were read, while the text is written. */
function renderSources(section, sources) {
  const place = one("[data-sources]", section);
  place.hidden = sources.length === 0;
  fill(place, sources.map(sourceTile));
}

function sourceTile({ swirl_id: id, title, searchprovider: name }) {
  // The sign of the source in the list of results, where most of them are.
  const face = one(`.result[data-id="${Number(id)}"] .from .face`)?.cloneNode(true) ?? h("span", { class: "face", "aria-hidden": "true" }, initials(name));
  const text = h("span", { class: "tile-text" }, h("b", { title }, title || t("Untitled")), h("span", { class: "faint" }, name));
  return h("li", null, face, text);
}

/** One or two characters that stand for a source, as in crates/server/src/ui/search/sources.rs. */
const initials = (name) => String(name).split(/[^\p{L}\p{N}]+/u).filter(Boolean).slice(0, 2).map((word) => [...word][0].toUpperCase()).join("");

/** Shows the elapsed seconds and the time limit. */
function tick(place, most) {
  const started = performance.now();
  const show = () => {
    const seconds = number(Math.round((performance.now() - started) / 1000));
    place.textContent = t("{n} s, at most {most} s", { n: seconds, most });
  };
  show();
  return setInterval(show, 1000);
}
