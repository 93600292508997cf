// Controls with choices from the API: multiple choice, and the connector.

import { get } from "../../api.js";
import { fill, h } from "../../dom.js";
import { langOf, loadCatalog, t, tc } from "../../i18n.js";

export function checkboxGroup(spec) {
  const element = h("div", { class: "picks" });
  let known = spec.choices?.these ?? [];
  let chosen = [];
  const draw = () => {
    const words = [...new Set([...known, ...chosen])];
    if (!words.length) return fill(element, h("span", { class: "faint" }, t("No options yet.")));
    fill(element, words.map((word) => {
      const box = h("input", { type: "checkbox", onchange: () => (chosen = box.checked ? [...chosen, word] : chosen.filter((one) => one !== word)) });
      box.checked = chosen.includes(word);
      return h("label", { class: "pick" }, box, word);
    }));
  };
  if (spec.choices?.named) get(spec.choices.named).then((rows) => ((known = rows.map((row) => row.name)), draw()), () => {});
  const write = (value) => {
    chosen = [...(value ?? [])];
    draw();
  };
  return { element, read: () => [...chosen], write, raw: () => [...chosen].sort().join("\n") };
}

/** A select of connectors; notifies the form of the selected one. */
export function connectorSelect(spec, { onConnector }) {
  const element = h("select", {});
  const aside = h("p", { class: "help about-connector", "aria-live": "polite" });
  let rows = [];
  let value = "";
  const notify = () => {
    value = element.value;
    const row = rows.find((one) => one.name === value);
    const summary = row?.summary ?? "";
    fill(aside, h("span", { lang: langOf(summary) }, tc(summary)));
    onConnector?.(row, rows);
  };
  const draw = () => {
    const names = rows.map((row) => row.name);
    if (value && !names.includes(value)) names.push(value);
    fill(element, names.map((name) => h("option", { value: name }, name)));
    element.value = value;
    notify();
  };
  element.addEventListener("change", notify);
  Promise.all([get(spec.choices.named), loadCatalog()]).then(([found]) => ((rows = found), draw()), () => {});
  const write = (next) => {
    value = next ?? "";
    draw();
  };
  return { element, aside, read: () => value, write, raw: () => value };
}
