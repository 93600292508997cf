// A form field: label, control, help and errors.

import { h, fill } from "../../dom.js";
import { t } from "../../i18n.js";
import { connectorSelect, checkboxGroup } from "./choices.js";
import { select, interval, json, lines, longText, dateTime, numeric, secret, toggleSwitch, text } from "./controls.js";
import { ordered } from "./ordered.js";
import { withCode } from "./format.js";

const controls = {
  text, long: longText, code: longText, number: numeric, switch: toggleSwitch, choice: select, moment: dateTime, lines, json, secret,
  connector: connectorSelect, ordered, picks: checkboxGroup, interval,
};

/** Delay before an error is shown after a change, so that it does not move an element that is being clicked. */
const ERROR_DELAY_MS = 250;

/** Controls with several elements, so that the label cannot be for one of them. */
const GROUPED = ["picks", "ordered"];

/**
 * The field of a declaration. Has `element`, `read()` (undefined means unchanged; throws if the input is not valid),
 * `write(value)`, `isChanged()`, `markSaved()`, `showErrors(sentences)` and `focus()`.
 */
export function makeField(spec, value, context) {
  const id = `field-${spec.name}`;
  const control = controls[spec.control](spec, { id, ...context });
  const isGroup = GROUPED.includes(spec.control);
  const isSwitch = spec.control === "switch";
  const label = h(isGroup ? "span" : "label", { id: `${id}-label`, class: "field-label", for: isGroup ? null : id },
    t(spec.label), h("code", { class: "wire", "aria-hidden": "true" }, spec.name));
  const help = h("p", { class: "help", id: `${id}-help` }, withCode(t(spec.help)));
  const errorPlace = h("p", { class: "field-error", id: `${id}-error` });
  const target = control.target ?? control.element;
  target.id ||= id;
  target.setAttribute("aria-describedby", `${id}-help ${id}-error`);
  if (isGroup) {
    target.setAttribute("role", "group");
    target.setAttribute("aria-labelledby", `${id}-label`);
  }
  // An ordered list needs the whole width; its help is above it.
  const isWide = spec.control === "ordered";
  const main = isSwitch ? h("div", { class: "toggle" }, control.element, label) : [label, isWide && help, control.element];
  const element = h("div", { class: `form-field by-${spec.control}`, "data-field": spec.name },
    h("div", { class: "field-main" }, main, errorPlace), !isWide && h("div", { class: "field-aside" }, help, control.aside));
  control.write(value);
  let savedText = control.raw();

  const showErrors = (sentences = []) => {
    fill(errorPlace, sentences.join(" "));
    if (sentences.length) target.setAttribute("aria-invalid", "true");
    else target.removeAttribute("aria-invalid");
    element.classList.toggle("is-wrong", sentences.length > 0);
  };
  const check = () => {
    try {
      control.read();
    } catch (error) {
      showErrors([error.message]);
    }
  };
  element.addEventListener("input", () => showErrors());
  element.addEventListener("change", () => setTimeout(check, ERROR_DELAY_MS));
  return {
    spec, element, showErrors, control,
    read: control.read,
    write: (next) => {
      control.write(next);
      showErrors();
      element.dispatchEvent(new Event("change", { bubbles: true }));
    },
    isChanged: () => control.raw() !== savedText,
    markSaved: (next) => {
      if (next !== undefined || spec.control === "secret") control.write(next);
      savedText = control.raw();
    },
    focus: () => (isGroup ? target.querySelector("input, button, select") ?? target : target).focus(),
  };
}
