// The text field for the JSON body of a request, filled with an example.

import { fill, h } from "../dom.js";
import { t } from "../i18n.js";
import { pretty } from "./code_block.js";
import { exampleOf } from "./example.js";

const LINES_MAX = 18;

/**
 * @param {any} source the OpenAPI document
 * @param {import("./operations.js").Operation} operation
 * @param {import("./request.js").Values} values filled when the user types
 */
export function bodyField(source, { id, body }, values, update) {
  const [media] = Object.values(body.content ?? {});
  const example = pretty(media?.example ?? exampleOf(source, media?.schema ?? {})) ?? "";
  const rows = Math.min(example.split("\n").length + 1, LINES_MAX);
  const input = h("textarea", { id: `body-${id}`, rows, spellcheck: "false", "aria-describedby": "value-body-error", value: example });
  const error = h("p", { id: "value-body-error", class: "hint field-error" });
  const read = () => {
    values.body = input.value;
    showError("");
    update();
  };
  const showError = (sentence) => {
    if (sentence) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    fill(error, sentence);
  };
  const reset = () => {
    input.value = example;
    read();
  };
  input.addEventListener("input", read);
  values.body = example;
  /** Shows what is wrong; returns whether nothing is. */
  const check = () => {
    const sentence = faultOf(input.value, body.required);
    showError(sentence);
    if (sentence) input.focus();
    return !sentence;
  };
  const head = h("div", { class: "body-label" }, h("label", { for: `body-${id}` }, t("Request body")), h("button", { type: "button", class: "plain", onclick: reset }, t("Reset")));
  return { element: h("div", { class: "try-field" }, head, input, error), check };
}

function faultOf(text, isRequired) {
  if (!text.trim()) return isRequired ? t("Required.") : "";
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return t("This is not valid JSON: {error}", { error: error.message });
  }
}
