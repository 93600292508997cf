// Sends a message and shows the reply as it streams.

import { Refused, events, post, prefix, send } from "../api.js";
import { all, announce, h, one, toast } from "../dom.js";
import { fragment } from "../fragment.js";
import { number, t, tn } from "../i18n.js";
import { readable } from "../answer/progress.js";
import { refresh } from "./rail.js";
import { applyEvent, begin } from "./stream.js";

const conversation = one(".conversation");
const thread = one("#thread");
let stop = null;

export const isBusy = () => stop !== null;
export const halt = () => stop?.abort();

/** An empty `content` asks again for the answer of the last message. Gives back true when the message was taken. */
export async function sendMessage(content, attach, chatOptions) {
  if (isBusy()) return false;
  stop = new AbortController();
  busy(true);
  one(".begin").hidden = true;
  one(".again").hidden = true;
  if (content) put(sentMessage(content, attach));
  const pending = put(copyOf("#pending"));
  let isTaken = false;
  try {
    const chat = await opened(chatOptions);
    const body = { content, attach: content ? attach : [] };
    const options = { signal: stop.signal, accept: "text/event-stream" };
    const response = await send("POST", `${prefix}/chat/${chat}/messages/`, body, options);
    isTaken = true;
    const state = await follow(pending, response);
    if (state.end === "done") await answered(pending, chat, state.message);
    else unanswered(state.why);
  } catch (error) {
    if (stop.signal.aborted) unanswered(t("You stopped the answer."));
    else if (error instanceof Refused && !isTaken && error.status < 500 && error.status !== 409) refused(content, error);
    else unanswered(error instanceof Refused ? error.message : t("The connection was lost before the answer was complete."));
  } finally {
    if (pending.isConnected && pending.classList.contains("pending")) pending.remove();
    stop = null;
    busy(false);
    if (conversation.dataset.chat) refresh(conversation.dataset.chat).catch(() => {});
  }
  return isTaken;
}

/** The chat that is open, or a new one. */
async function opened(chatOptions) {
  if (!conversation.dataset.chat) {
    const { id } = await post("/chat/", chatOptions);
    conversation.dataset.chat = id;
    history.replaceState(null, "", `/chat/?chat=${id}`);
    // What was chosen holds for the whole chat.
    for (const choice of all(".compose-row > label, .compose-row > .choice")) choice.remove();
  }
  return conversation.dataset.chat;
}

async function follow(pending, response) {
  let state = begin();
  for await (const { event, data } of events(response)) {
    state = applyEvent(state, event, JSON.parse(data));
    render(pending, state);
    if (state.end) return state;
  }
  return { ...state, end: "failed", why: t("The connection was lost before the answer was complete.") };
}

function render(pending, state) {
  const isAtEnd = innerHeight + scrollY > document.documentElement.scrollHeight - 120;
  one("[data-doing]", pending).textContent = doing(state);
  one("[data-text]", pending).textContent = readable(state.text);
  one(".done-tools", pending).replaceChildren(...state.tools.map((tool) => h("li", null, used(tool))));
  if (isAtEnd) scrollTo(0, document.documentElement.scrollHeight);
}

function doing({ doing, query }) {
  if (doing === "search") return t("Searching for “{query}”", { query });
  if (doing === "read_document") return t("Reading a document");
  if (doing === "list_sources") return t("Listing the sources");
  return doing === "writing" ? t("Writing") : t("Thinking");
}

function used({ name, query, took }) {
  const seconds = number(Math.round(took * 10) / 10);
  if (name === "search") return t("Searched for “{query}”, {n} s", { query, n: seconds });
  if (name === "read_document") return t("Read a document, {n} s", { n: seconds });
  return t("Listed the sources, {n} s", { n: seconds });
}

async function answered(pending, chat, message) {
  const response = await send("GET", `/chat/${chat}/messages/${message.id}/`, undefined, { accept: "text/html" });
  pending.replaceWith(fragment(await response.text()));
  announce(t("Answer ready."));
}

function unanswered(sentence) {
  one("[data-why]", one(".again")).textContent = sentence;
  one(".again").hidden = false;
  announce(sentence);
}

/** It was not kept: what was written goes back into the box. */
function refused(content, error) {
  thread.querySelector(".mine:not([data-message]):last-of-type")?.remove();
  one(".compose textarea").value = content;
  toast(error.message, { bad: true });
}

function sentMessage(content, attach) {
  const message = copyOf("#sent");
  one("[data-text]", message).textContent = content;
  const note = one("[data-attached]", message);
  note.hidden = attach.length === 0;
  note.textContent = tn("with one document", "with {n} documents", attach.length);
  return message;
}

const copyOf = (selector) => one(selector).content.firstElementChild.cloneNode(true);

function put(message) {
  thread.append(message);
  scrollTo({ top: document.documentElement.scrollHeight, behavior: "smooth" });
  return message;
}

function busy(is) {
  one("[data-send]").hidden = is;
  one("[data-stop]").hidden = !is;
}
