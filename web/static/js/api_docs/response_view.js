// Shows the response of a request: status, time, headers and body.

import { bytes } from "../bytes.js";
import { announce, fill, h } from "../dom.js";
import { number, t } from "../i18n.js";
import { codeBlock, pretty } from "./code_block.js";

export function responseView() {
  const head = h("p", { class: "answer-head" });
  const headers = h("details", { class: "answer-headers", hidden: true }, h("summary", {}, t("Headers")));
  const list = h("dl", {});
  headers.append(list);
  const note = h("p", { class: "muted", hidden: true });
  const block = codeBlock({ label: t("Response"), isJson: true });
  const element = h("div", { class: "answer", hidden: true }, h("div", { class: "aside-head" }, h("h3", {}, t("Response")), head, block.button), note, headers, block.element);
  const showNote = (sentence) => {
    note.hidden = !sentence;
    fill(note, sentence);
  };
  const showText = (text, isJson) => {
    block.element.hidden = !text;
    block.button.hidden = !text;
    block.replace(text, isJson);
  };
  const showHead = (response, ms, size) => {
    const status = `${response.status} ${response.statusText}`.trim();
    const facts = [`${number(Math.round(ms))} ms`, size === undefined ? null : bytes(size)].filter(Boolean).join(" · ");
    fill(head, h("span", { class: `status is-${String(response.status)[0]}` }, status), " ", h("span", { class: "num muted" }, facts));
    fill(list, [...response.headers].flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
    headers.hidden = false;
    return `${status}, ${facts}`;
  };
  return {
    element,
    begin() {
      element.hidden = false;
      headers.hidden = true;
      fill(head, t("Sending…"));
      showNote("");
      showText("", false);
    },
    showHead,
    /** A part of a stream. */
    showPart: (text) => showText(text, false),
    showBody(response, { text, size, isCut }, ms) {
      const sentence = showHead(response, ms, size);
      const body = readBody(text, isCut);
      showText(body.text, body.isJson);
      showNote(noteOf(response, text, size, isCut));
      announce(sentence);
      element.scrollIntoView({ block: "nearest" });
    },
    stop() {
      showNote(t("Stopped."));
      if (headers.hidden) fill(head);
    },
    fail(sentence) {
      fill(head, h("span", { class: "failed" }, sentence));
      announce(sentence);
    },
  };
}

function readBody(text, isCut) {
  if (!text || isCut) return { text: text ?? "", isJson: false };
  try {
    return { text: pretty(JSON.parse(text)), isJson: true };
  } catch {
    return { text, isJson: false };
  }
}

function noteOf(response, text, size, isCut) {
  if (isCut) return t("Only the first {size} are shown.", { size: bytes(text.length) });
  if (text === null) return t("The response is not text.");
  if (!size) return t("The response has no body.");
  return response.redirected ? t("Redirected to {url}", { url: response.url }) : "";
}
