// Step 3: each field with its path, the confidence of the suggestion, and an example.

import { announce, stripDirectionControls, fill, h } from "../../dom.js";
import { t } from "../../i18n.js";
import { LABELS } from "./labels.js";
import { FIELDS } from "./mappings.js";
import { resultPreview } from "./result.js";

/** Confidence from which a suggestion counts as sure, or as likely. */
const SURE_MIN = 0.8;
const LIKELY_MIN = 0.6;
/** Warnings for programs, about what the page shows as fields: missing mappings, the URL, and placeholders of secrets. */
const NOT_SHOWN = /result_mappings|query_template|YOUR_/;

export class FieldList {
  constructor(mappings, diagnosis, { onfield, onchange }) {
    this.mappings = mappings;
    this.diagnosis = diagnosis;
    this.onfield = onfield;
    this.onchange = onchange;
    this.current = FIELDS[0];
    this.rows = new Map(FIELDS.map((key) => [key, this.row(key)]));
    this.preview = h("div", { class: "preview-result" });
    const warnings = diagnosis.warnings.filter((warning) => !NOT_SHOWN.test(warning));
    this.element = h("div", {},
      warnings.map((warning) => h("p", { class: "note warn" }, warning)),
      h("div", { class: "fields" }, [...this.rows.values()].map((row) => row.element)),
      h("h3", {}, t("First result of the sample")), this.preview);
    this.choose(FIELDS[0], false);
    this.draw();
  }

  /** Assigns the clicked value to the current field. */
  assign(steps) {
    const key = this.current;
    if (!this.mappings.choose(key, steps)) return;
    this.completeUrl(key);
    announce(t("{field} now comes from {path}.", { field: LABELS[key], path: this.mappings.fields[key] }));
    this.draw();
    this.onchange();
  }

  /** Completes a relative URL with the origin of the source. */
  completeUrl(key) {
    const example = this.mappings.example(key);
    const site = URL.canParse(this.diagnosis.provider.url) ? new URL(this.diagnosis.provider.url).origin : "";
    if (key === "url" && site && /^\/(?!\/)/.test(example)) this.mappings.fields.url = `'${site}{${this.mappings.fields.url}}'`;
  }

  row(key) {
    const path = h("input", { type: "text", spellcheck: "false", autocomplete: "off", class: "path", list: `paths-${key}`, "aria-label": t("Path for {field}", { field: LABELS[key] }) });
    const others = h("datalist", { id: `paths-${key}` }, (this.diagnosis.alternatives[key] ?? []).map((one) => h("option", { value: one.path }, one.example)));
    const example = h("p", { class: "example" });
    const why = h("p", { class: "help" });
    const sure = h("span", { class: "sure" });
    const choose = h("button", { type: "button", class: "soft small", "aria-pressed": "false", onclick: () => this.choose(key, true) }, t("Choose"), h("span", { class: "visually-hidden" }, ` ${LABELS[key]}`));
    const clear = h("button", { type: "button", class: "plain", onclick: () => this.write(key, "") }, t("Clear"), h("span", { class: "visually-hidden" }, ` ${LABELS[key]}`));
    const row = { path, example, why, sure, choose, clear };
    path.addEventListener("change", () => this.write(key, path.value));
    path.addEventListener("focus", () => this.choose(key, false));
    row.element = h("div", { class: "map-field", role: "group", "aria-label": LABELS[key] },
      h("div", { class: "map-head" }, h("span", { class: `dot f-${key}` }), h("b", {}, LABELS[key]), sure, h("span", { class: "map-actions" }, choose, clear)),
      example, h("div", { class: "map-path" }, path, others), why);
    return row;
  }

  write(key, text) {
    this.mappings.fields[key] = text.trim();
    this.draw();
    this.onchange();
  }

  choose(key, movesFocus) {
    this.current = key;
    for (const [name, row] of this.rows) {
      row.element.classList.toggle("is-current", name === key);
      row.choose.setAttribute("aria-pressed", String(name === key));
    }
    this.onfield(key, movesFocus);
  }

  draw() {
    for (const [key, row] of this.rows) {
      const mapping = this.mappings.fields[key];
      const example = this.mappings.example(key);
      const proposal = this.diagnosis.proposals.find((one) => one.field === key && one.path === mapping);
      row.path.value = mapping;
      row.clear.hidden = !mapping;
      row.example.textContent = stripDirectionControls(example || "–");
      fill(row.sure, confidence(mapping, proposal));
      row.why.textContent = advice(key, mapping, example) || proposal?.why || "";
    }
    fill(this.preview, resultPreview(this.mappings.first(), ""));
  }
}

/** How sure the suggestion is; other mappings were set by a person. */
function confidence(mapping, proposal) {
  if (!mapping) return h("span", { class: "faint" }, t("empty"));
  if (!proposal) return h("span", { class: "faint" }, t("set by you"));
  const value = proposal.confidence;
  const [word, name] = value >= SURE_MIN ? ["good", t("sure")] : value >= LIKELY_MIN ? ["fair", t("likely")] : ["poor", t("please check")];
  return h("span", { class: `suggestion-confidence ${word}`, title: `${Math.round(value * 100)} %` }, name);
}

/** Advice on a field that needs attention, or an empty text. */
function advice(key, mapping, example) {
  if (!mapping) {
    if (key === "title") return t("Every result needs a title: select Choose, then click a value in the response.");
    if (key === "url") return t("Without a URL, results have no link. Click one, or build it around a value, for example 'https://host/page/{id}'.");
    return t("Optional.");
  }
  if (!example) return t("This path matches nothing in the sample. Choose another value in the response.");
  if (key === "url" && !/^https?:\/\//i.test(example)) return t("This is not a complete URL. Add the rest around it, for example 'https://host/page/{id}'.");
  return "";
}
