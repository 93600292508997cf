// A block of code with a button that copies it, and the colors of JSON.

import { copy } from "../account/copy.js";
import { h } from "../dom.js";
import { t } from "../i18n.js";

/** Longer texts have no colors, because each color is an element. */
const COLORED_CHARS_MAX = 60_000;
const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A value as indented JSON. */
export const pretty = (value) => JSON.stringify(value, null, 2);

/**
 * `label` names the block. With `isJson` its text is colored. `replace` shows another text, `button` copies it.
 * @param {{ label: string, text?: string, isJson?: boolean }} options
 */
export function codeBlock({ label, text = "", isJson = false }) {
  const code = h("code", {});
  // It scrolls, so it can be focused.
  const pre = h("pre", { class: "code", tabindex: "0", role: "group", "aria-label": label }, code);
  let shown = "";
  const replace = (next, isColored = isJson) => {
    shown = next;
    code.replaceChildren(...(isColored && next.length <= COLORED_CHARS_MAX ? colored(next) : [next]));
  };
  replace(text);
  const button = h("button", { type: "button", class: "soft small", "aria-label": t("Copy: {what}", { what: label }), onclick: () => copy(shown, t("Copied.")) }, t("Copy"));
  return { element: pre, button, replace };
}

/** The text with an element for each name and value. */
function* colored(text) {
  let at = 0;
  for (const found of text.matchAll(TOKENS)) {
    const [whole, string, colon] = found;
    const shown = string ?? whole;
    yield text.slice(at, found.index);
    yield h("span", { class: string ? (colon ? "json-name" : "json-text") : "json-value" }, shown);
    at = found.index + shown.length;
  }
  yield text.slice(at);
}
