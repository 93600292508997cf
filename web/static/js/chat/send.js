// Sends a message and shows the reply as it streams.

import { ApiError, events, post, prefix, send } from "../api.js";
import { all, announce, h, one, toast } from "../dom.js";
import { fragment } from "../fragment.js";
import { number, t, tn } from "../i18n.js";
import { numberCitations } from "../answer/citation_order.js";
import { stripMarkdown } from "../answer/markdown.js";
import { followEnd, showEnd } from "./follow_end.js";
import { refresh } from "./rail.js";
import { applyEvent, initialState } from "./stream.js";

const conversation = one(".conversation");
const thread = one("#thread");
let stop = null;

export const isBusy = () => stop !== null;
export const stopAnswer = () => stop?.abort();

/**
 * Sends a message and shows the answer. An empty `content` requests the answer to the last message again. Returns whether
 * the message was accepted.
 */
export async function sendMessage(content, attach, chatOptions) {
  if (isBusy()) return false;
  stop = new AbortController();
  setBusy(true);
  one(".begin").hidden = true;
  one(".again").hidden = true;
  if (content) appendMessage(sentMessage(content, attach));
  const pending = appendMessage(cloneTemplate("#pending"));
  let isAccepted = false;
  try {
    const chat = await openChat(chatOptions);
    const body = { content, attach: content ? attach : [] };
    const options = { signal: stop.signal, accept: "text/event-stream" };
    const response = await send("POST", `${prefix}/chat/${chat}/messages/`, body, options);
    isAccepted = true;
    const state = await follow(pending, response);
    if (state.end === "done") await showAnswer(pending, chat, state.message);
    else showFailure(state.why);
  } catch (error) {
    if (stop.signal.aborted) showFailure(t("You stopped the answer."));
    else if (error instanceof ApiError && !isAccepted && error.status < 500 && error.status !== 409) restoreMessage(content, error);
    else showFailure(error instanceof ApiError ? error.message : t("The connection was lost before the answer was complete."));
  } finally {
    if (pending.isConnected && pending.classList.contains("pending")) pending.remove();
    stop = null;
    setBusy(false);
    if (conversation.dataset.chat) refresh(conversation.dataset.chat).catch(() => {});
  }
  return isAccepted;
}

/** The id of the open chat, or of a new one. */
async function openChat(chatOptions) {
  if (!conversation.dataset.chat) {
    const { id } = await post("/chat/", chatOptions);
    conversation.dataset.chat = id;
    history.replaceState(null, "", `/chat/?chat=${id}`);
    // The options apply to the whole chat.
    for (const choice of all(".compose-row > label, .compose-row > .choice")) choice.remove();
  }
  return conversation.dataset.chat;
}

async function follow(pending, response) {
  let state = initialState();
  for await (const { event, data } of events(response)) {
    state = applyEvent(state, event, JSON.parse(data));
    render(pending, state);
    if (state.end) return state;
  }
  return { ...state, end: "failed", why: t("The connection was lost before the answer was complete.") };
}

function render(pending, state) {
  one("[data-doing]", pending).textContent = describeActivity(state);
  one("[data-text]", pending).textContent = numberCitations(stripMarkdown(state.text));
  one(".done-tools", pending).replaceChildren(...state.tools.map((tool) => h("li", null, describeToolCall(tool))));
  showEnd();
}

function describeActivity({ doing, query }) {
  if (doing === "search") return t("Searching for “{query}”", { query });
  if (doing === "read_document") return t("Reading a document");
  if (doing === "list_sources") return t("Listing the sources");
  return doing === "writing" ? t("Writing") : t("Thinking");
}

function describeToolCall({ name, query, took }) {
  const seconds = number(Math.round(took * 10) / 10);
  if (name === "search") return t("Searched for “{query}”, {n} s", { query, n: seconds });
  if (name === "read_document") return t("Read a document, {n} s", { n: seconds });
  return t("Listed the sources, {n} s", { n: seconds });
}

async function showAnswer(pending, chat, message) {
  const response = await send("GET", `/chat/${chat}/messages/${message.id}/`, undefined, { accept: "text/html" });
  pending.replaceWith(fragment(await response.text()));
  showEnd();
  announce(t("Answer ready."));
}

function showFailure(sentence) {
  one("[data-why]", one(".again")).textContent = sentence;
  one(".again").hidden = false;
  showEnd();
  announce(sentence);
}

/** Puts a message that was not stored back into the message box. */
function restoreMessage(content, error) {
  thread.querySelector(".mine:not([data-message]):last-of-type")?.remove();
  one(".compose textarea").value = content;
  toast(error.message, { bad: true });
}

function sentMessage(content, attach) {
  const message = cloneTemplate("#sent");
  one("[data-text]", message).textContent = content;
  const note = one("[data-attached]", message);
  note.hidden = attach.length === 0;
  note.textContent = tn("with one document", "with {n} documents", attach.length);
  return message;
}

const cloneTemplate = (selector) => one(selector).content.firstElementChild.cloneNode(true);

function appendMessage(message) {
  thread.append(message);
  followEnd();
  return message;
}

function setBusy(isOn) {
  one("[data-send]").hidden = isOn;
  one("[data-stop]").hidden = !isOn;
}
