// Editor of the mappings in the form of a source: a sample of its response as a tree, and a card for each field.

import { announce, fill, h } from "../../dom.js";
import { t } from "../../i18n.js";
import { errorMessage } from "../components.js";
import { FieldList } from "./fields.js";
import { examineList } from "./lists.js";
import { joinMappings } from "./mapping_text.js";
import { Mappings } from "./mappings.js";
import { formatPath } from "./path.js";
import { examineSource, SampleError } from "./sample.js";
import { StoredMappings } from "./stored.js";
import { Tree } from "./tree.js";

const QUERY_DEFAULT = "test";
/** The fields of the form that the editor writes. */
const TEXTS = ["response_mappings", "result_mappings"];

/** The editor for a form of records/form.js. */
export const mappingEditor = (form) => new MappingEditor(form).element;

class MappingEditor {
  constructor(form) {
    this.form = form;
    this.diagnosis = null;
    this.query = h("input", { type: "text", id: "sample-query", maxlength: 1000, value: QUERY_DEFAULT, autocomplete: "off" });
    this.button = h("button", { type: "button", class: "soft", onclick: () => this.load() }, t("Load a sample"));
    this.closeButton = h("button", { type: "button", class: "plain", hidden: true, onclick: () => this.close() }, t("Close the editor"));
    this.message = h("p", { class: "field-error", role: "alert" });
    this.body = h("div", { class: "editor-body" });
    this.element = h("div", { class: "mapping-editor", onkeydown: (event) => this.press(event) },
      h("p", { class: "muted" }, t("Load a sample of the response, then click the values that belong to each field.")),
      h("div", { class: "beside" }, h("label", { for: "sample-query" }, t("Sample query")), this.query, this.button, this.closeButton),
      this.message, this.body);
    for (const name of TEXTS) form.fields.get(name).element.addEventListener("change", () => this.followText());
  }

  /** Enter in a field of the editor does not save the record. */
  press(event) {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
    event.preventDefault();
    if (event.target === this.query) this.load();
    else event.target.dispatchEvent(new Event("change", { bubbles: true }));
  }

  async load() {
    const values = this.form.values();
    if (!values) return;
    if (!this.form.isNew) values.id = this.form.row.id;
    this.button.disabled = true;
    this.message.textContent = "";
    try {
      const stored = this.stored();
      this.diagnosis = await examineSource(values, this.query.value.trim() || QUERY_DEFAULT, stored);
      await this.examineStoredList(stored);
      this.draw();
      this.body.scrollIntoView({ block: "nearest" });
      announce(t("Response received. Check the fields, then save."));
    } catch (error) {
      this.message.textContent = error instanceof SampleError ? error.message : errorMessage(error);
    } finally {
      this.button.disabled = false;
    }
  }

  stored() {
    const [response, result] = TEXTS.map((name) => this.form.fields.get(name).control.raw());
    return new StoredMappings({ response_mappings: response, result_mappings: result });
  }

  /** The suggestions are for the result list that the source uses. */
  async examineStoredList(stored) {
    const steps = stored.listSteps(this.diagnosis.answer);
    if (!stored.fits(this.diagnosis.answer) || !steps.length || formatPath(steps) === this.diagnosis.results_path) return;
    this.diagnosis = (await examineList(this.diagnosis, steps)) ?? this.diagnosis;
  }

  /** Draws the response with the mappings of the form, or with the suggested ones if those do not fit. */
  draw() {
    const stored = this.stored();
    const isFitting = stored.fits(this.diagnosis.answer);
    const mappings = new Mappings(isFitting ? stored.applyTo(this.diagnosis) : this.diagnosis);
    const write = () => this.write(mappings, stored);
    const tree = new Tree(mappings, { onchoose: (path) => fields.assign(path), onlist: (path) => this.useList(path) });
    const fields = new FieldList(mappings, this.diagnosis, {
      onfield: (key, movesFocus) => {
        tree.showCurrentField(key);
        if (movesFocus) tree.focus(key);
      },
      onchange: () => {
        tree.mark();
        write();
      },
    });
    const note = !isFitting && h("p", { class: "note" }, t("The mappings do not match this response. These are suggestions."), " ",
      h("button", { type: "button", class: "soft small", onclick: () => {
        write();
        this.draw();
        this.button.focus();
      } }, t("Use the suggestions")));
    this.element.classList.add("is-open");
    this.closeButton.hidden = false;
    fill(this.body, h("h2", {}, t("Sample response")), note, h("div", { class: "answer-and-fields" }, tree.element, fields.element));
  }

  /** Writes the mappings into the fields of the form, and keeps what the editor does not change. */
  write(mappings, stored) {
    const texts = mappings.toProviderFields();
    const values = {
      response_mappings: joinMappings(texts.response_mappings, stored.places.others),
      result_mappings: joinMappings(texts.result_mappings, stored.fields.others),
    };
    this.isWriting = true;
    for (const name of TEXTS) this.form.fields.get(name).write(values[name]);
    this.isWriting = false;
  }

  async useList(path) {
    const other = await examineList(this.diagnosis, path);
    if (!other) return;
    this.diagnosis = other;
    this.write(new Mappings(other), this.stored());
    this.draw();
  }

  /** The texts were changed by hand. */
  followText() {
    if (!this.isWriting && this.diagnosis) this.draw();
  }

  close() {
    this.diagnosis = null;
    this.element.classList.remove("is-open");
    this.closeButton.hidden = true;
    fill(this.body);
    this.button.focus();
  }
}
