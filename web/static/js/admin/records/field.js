// A form field: label, control, help and errors.

import { h, fill } from "../../dom.js";
import { t } from "../../i18n.js";
import { connecting, picks } from "./choices.js";
import { choosing, interval, json, lines, long, moment, numeric, secret, switching, text } from "./controls.js";
import { ordered } from "./ordered.js";
import { prose } from "./prose.js";

const makers = {
  text, long, code: long, number: numeric, switch: switching, choice: choosing, moment, lines, json, secret,
  connector: connecting, ordered, picks, interval,
};

/** A mistake is said this long after a field is left: what it pushes down must not move under a click. */
const CALM_MS = 250;

/** Those whose label cannot point at one element. */
const GROUPED = ["picks", "ordered"];

/**
 * The field of a declaration. Has `element`, `read()` (undefined: leave it as it is; throws a mistake), `write(value)`,
 * `isChanged()`, `settle()`, `complain(sentences)` and `focus()`.
 */
export function makeField(spec, value, context) {
  const id = `field-${spec.name}`;
  const control = makers[spec.control](spec, { id, ...context });
  const isGroup = GROUPED.includes(spec.control);
  const isSwitch = spec.control === "switch";
  const label = h(isGroup ? "span" : "label", { id: `${id}-label`, class: "field-label", for: isGroup ? null : id },
    t(spec.label), h("code", { class: "wire", "aria-hidden": "true" }, spec.name));
  const help = h("p", { class: "help", id: `${id}-help` }, prose(t(spec.help)));
  const wrongs = h("p", { class: "mistake", id: `${id}-mistake` });
  const target = control.target ?? control.element;
  target.id ||= id;
  target.setAttribute("aria-describedby", `${id}-help ${id}-mistake`);
  if (isGroup) {
    target.setAttribute("role", "group");
    target.setAttribute("aria-labelledby", `${id}-label`);
  }
  // An ordered list needs the whole width; its help stands above it.
  const isWide = spec.control === "ordered";
  const main = isSwitch ? h("div", { class: "toggle" }, control.element, label) : [label, isWide && help, control.element];
  const element = h("div", { class: `form-field by-${spec.control}`, "data-field": spec.name },
    h("div", { class: "field-main" }, main, wrongs), !isWide && h("div", { class: "field-aside" }, help, control.aside));
  control.write(value);
  let settled = control.raw();

  const complain = (sentences = []) => {
    fill(wrongs, sentences.join(" "));
    if (sentences.length) target.setAttribute("aria-invalid", "true");
    else target.removeAttribute("aria-invalid");
    element.classList.toggle("is-wrong", sentences.length > 0);
  };
  const check = () => {
    try {
      control.read();
    } catch (mistake) {
      complain([mistake.message]);
    }
  };
  element.addEventListener("input", () => complain());
  element.addEventListener("change", () => setTimeout(check, CALM_MS));
  return {
    spec, element, complain, control,
    read: control.read,
    write: (next) => {
      control.write(next);
      complain();
      element.dispatchEvent(new Event("change", { bubbles: true }));
    },
    isChanged: () => control.raw() !== settled,
    settle: (next) => {
      if (next !== undefined || spec.control === "secret") control.write(next);
      settled = control.raw();
    },
    focus: () => (isGroup ? target.querySelector("input, button, select") ?? target : target).focus(),
  };
}
