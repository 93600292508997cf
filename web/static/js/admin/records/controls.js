// Controls of a form. Each has `element`, `read()`, `write(value)` and `raw()`, a text that is compared to detect changes;
// `target` is the element that the label is for, and `aside` is shown below the help.

import { fill, h } from "../../dom.js";
import { t } from "../../i18n.js";

const ROWS_MAX = 14;

const simple = (element) => ({ element, read: () => element.value.trim(), write: (value) => (element.value = value ?? ""), raw: () => element.value.trim() });

export const text = (spec) => simple(h("input", { type: "text", maxlength: spec.max_length, placeholder: spec.example ?? null, autocomplete: "off", spellcheck: "false" }));

export function longText(spec) {
  const isCode = spec.control === "code";
  const element = h("textarea", { rows: isCode ? 2 : 3, class: isCode ? "code" : "long", maxlength: spec.max_length, placeholder: spec.example ?? null, spellcheck: isCode ? "false" : null });
  const control = simple(element);
  return { ...control, read: () => element.value, raw: () => element.value, write: (value) => setText(element, value ?? "") };
}

/** Sets the text, with as many rows as it needs. */
function setText(element, value) {
  element.value = value;
  element.rows = Math.min(ROWS_MAX, Math.max(Number(element.rows) || 2, value.split("\n").length));
}

export function numeric() {
  const element = h("input", { type: "number", inputmode: "numeric" });
  const read = () => {
    const value = Number(element.value);
    if (element.value === "" || !Number.isFinite(value)) throw new Error(t("Enter a number."));
    return value;
  };
  return { ...simple(element), read };
}

export function toggleSwitch() {
  const element = h("input", { type: "checkbox", class: "switch", role: "switch" });
  return { element, read: () => element.checked, write: (value) => (element.checked = Boolean(value)), raw: () => String(element.checked) };
}

export function select(spec) {
  return simple(h("select", {}, spec.choices.these.map((word) => h("option", { value: word }, word))));
}

export function lines() {
  const element = h("textarea", { rows: 3, placeholder: t("one per line"), spellcheck: "false" });
  const read = () => element.value.split("\n").map((line) => line.trim()).filter(Boolean);
  return { element, read, write: (value) => setText(element, (value ?? []).join("\n")), raw: () => read().join("\n") };
}

export function json() {
  const element = h("textarea", { rows: 3, class: "code", spellcheck: "false" });
  const parse = () => {
    if (!element.value.trim()) return {};
    const value = JSON.parse(element.value);
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(t("Enter a JSON object."));
    return value;
  };
  const read = () => {
    try {
      return parse();
    } catch (error) {
      throw new Error(error instanceof SyntaxError ? t("This is not valid JSON: {why}", { why: error.message }) : error.message, { cause: error });
    }
  };
  const tidy = (value) => setText(element, Object.keys(value ?? {}).length ? JSON.stringify(value, null, 2) : "");
  const raw = () => {
    try {
      return JSON.stringify(parse());
    } catch {
      return element.value;
    }
  };
  return { element, read, write: tidy, raw };
}

export function secret() {
  const element = h("input", { type: "password", autocomplete: "new-password", spellcheck: "false" });
  const aside = h("p", { class: "help stored" });
  const write = (stored) => {
    element.value = "";
    element.placeholder = stored ? String(stored) : "";
    fill(aside, stored ? t("A value is stored. Leave this field empty to keep it.") : "");
  };
  return { element, aside, read: () => element.value || undefined, write, raw: () => element.value };
}

export function dateTime() {
  const element = h("input", { type: "datetime-local" });
  const local = (value) => new Date(new Date(value).getTime() - new Date(value).getTimezoneOffset() * 60000).toISOString().slice(0, 16);
  return { ...simple(element), read: () => (element.value ? new Date(element.value).toISOString() : null), write: (value) => (element.value = value ? local(value) : "") };
}

const UNITS = () => [[1, t("seconds")], [60, t("minutes")], [3600, t("hours")], [86400, t("days")]];

export function interval(spec, { id }) {
  const count = h("input", { type: "number", min: "0", inputmode: "numeric", id });
  const unit = h("select", { "aria-label": t("Unit") }, UNITS().map(([seconds, name]) => h("option", { value: seconds }, name)));
  const read = () => {
    if (count.value === "") throw new Error(t("Enter a number."));
    return Number(count.value) * Number(unit.value);
  };
  const write = (value) => {
    const [seconds] = UNITS().reverse().find(([seconds]) => value && value % seconds === 0) ?? [1];
    unit.value = seconds;
    count.value = (value ?? 0) / seconds;
  };
  return { element: h("div", { class: "interval" }, count, unit), target: count, read, write, raw: () => String(Number(count.value) * Number(unit.value)) };
}
