// Step 4: name, placeholders, test and save. The gallery uses it too.

import { ApiError, post } from "../../api.js";
import { announce, fill, h } from "../../dom.js";
import { number, secondCount, t } from "../../i18n.js";
import { field, showFieldError, errorMessage, toggle, toSentence } from "../components.js";
import { findPlaceholders, fillPlaceholders, valueFromRequest } from "./placeholders.js";
import { resultPreview } from "./result.js";

/** The URL of a provider that was suggested from a sample response alone. */
const PLACEHOLDER_URL = "https://<your-source>/search";

export class SaveForm {
  /** `mappings` replaces those of the spec; `request` may contain the values of placeholders. */
  constructor(spec, { request = "", query = "", mappings = null } = {}) {
    this.spec = { ...spec };
    this.mappings = mappings;
    this.isTested = false;
    this.name = h("input", { type: "text", maxlength: 200, required: true, autocomplete: "off", value: spec.name });
    this.query = h("input", { type: "text", maxlength: 1000, autocomplete: "off", value: query || "test" });
    this.active = toggle(t("Active"), true);
    this.byDefault = toggle(t("Include in every search"), true);
    this.controls = new Map([["name", this.name]]);
    this.outcome = h("div", { class: "outcome", "aria-live": "polite" });
    this.testButton = h("button", { type: "button", class: "soft", onclick: () => this.test() }, t("Test"));
    this.saveButton = h("button", { class: "go" }, t("Save"));
    this.alert = h("div", { role: "alert" });
    this.element = h("div", {}, this.form(request));
  }

  form(request) {
    const urlFields = this.urlFields();
    this.placeholders = findPlaceholders(this.spec).map((placeholder) => {
      const control = h("input", { type: placeholder.isSecret ? "password" : "text", autocomplete: "off", spellcheck: "false", value: valueFromRequest(request, placeholder.label) });
      const help = control.value ? t("Taken from your request.") : placeholder.isSecret ? t("It will not be shown again.") : "";
      return { ...placeholder, control, element: field(labelOf(placeholder), control, help) };
    });
    return h("form", { class: "save-form", novalidate: true, onsubmit: (event) => this.save(event) },
      field(t("Name"), this.name, t("Shown next to each result. Must be unique.")), urlFields, this.placeholders.map((placeholder) => placeholder.element),
      h("div", { class: "test-row" }, field(t("Test query"), this.query), this.testButton), this.outcome,
      h("div", { class: "save-row" }, this.active, this.byDefault, this.saveButton), this.alert);
  }

  /** Fields for the URL and the query template, if the provider has none. */
  urlFields() {
    if (this.spec.url !== PLACEHOLDER_URL) return [];
    const url = h("input", { type: "url", placeholder: "https://api.example.org/search", autocomplete: "off" });
    const template = h("input", { type: "text", class: "path", value: this.spec.query_template, autocomplete: "off", spellcheck: "false" });
    this.spec.url = "";
    url.addEventListener("input", () => (this.spec.url = url.value.trim()));
    template.addEventListener("input", () => (this.spec.query_template = template.value.trim()));
    this.controls.set("url", url).set("query_template", template);
    return [
      field(t("Source URL"), url, t("The URL up to the question mark.")),
      field(t("Query template"), template, t("{query_string} is replaced by the query.")),
    ];
  }

  /** Discards the result of the test, because the provider has changed. */
  discardTest() {
    if (!this.isTested) return;
    this.isTested = false;
    fill(this.outcome, h("p", { class: "muted" }, t("The fields have changed. Test again.")));
  }

  /** The provider as it would be saved, or null if a value is missing; its field then shows an error. */
  provider() {
    for (const control of this.controls.values()) showFieldError(control);
    for (const { control } of this.placeholders) showFieldError(control);
    const missing = [];
    if (!this.name.value.trim()) missing.push([this.name, t("Enter a name.")]);
    const url = this.controls.get("url");
    if (url && !URL.canParse(this.spec.url)) missing.push([url, t("Enter the full URL, starting with https://.")]);
    for (const { control } of this.placeholders) if (!control.value.trim()) missing.push([control, t("The source requires this value.")]);
    for (const [control, message] of missing) showFieldError(control, message);
    if (missing.length) {
      missing[0][0].focus();
      return null;
    }
    const values = new Map(this.placeholders.map(({ key, control }) => [key, control.value]));
    const isOn = (label) => label.querySelector("input").checked;
    return {
      ...fillPlaceholders(this.spec, values),
      ...this.mappings?.toProviderFields(),
      name: this.name.value.trim(),
      active: isOn(this.active),
      default: isOn(this.byDefault),
    };
  }

  async test() {
    const provider = this.provider();
    if (!provider) return;
    this.testButton.disabled = true;
    fill(this.outcome, h("p", { class: "muted" }, t("Querying the source…")));
    try {
      const test = await post(`/searchproviders/test/?q=${encodeURIComponent(this.query.value.trim() || "test")}`, provider);
      this.isTested = test.status === "OK";
      fill(this.outcome, this.testResult(test, provider.name));
    } catch (error) {
      fill(this.outcome, h("p", { class: "note bad" }, this.showErrors(error)));
    } finally {
      this.testButton.disabled = false;
    }
  }

  testResult(test, name) {
    if (test.error) return h("div", { class: "note bad" }, h("b", {}, t("The test failed.")), " ", toSentence(test.error.message), " ", nextStep(test.error.code));
    if (!test.sample) return h("p", { class: "note warn" }, t("The source responded but returned no results. Try another query, or check the result list above."));
    const line = t("Found {found}, retrieved {retrieved} in {seconds} s.", { found: number(test.found), retrieved: number(test.retrieved), seconds: secondCount(test.time) });
    return [h("p", { class: "good-line" }, h("b", {}, t("It works.")), " ", line), resultPreview(test.sample, name)];
  }

  async save(event) {
    event.preventDefault();
    const provider = this.provider();
    if (!provider) return;
    fill(this.alert);
    this.saveButton.disabled = true;
    try {
      const saved = await post("/searchproviders/", provider);
      this.showSaved(saved);
    } catch (error) {
      fill(this.alert, h("p", { class: "alert" }, this.showErrors(error)));
    } finally {
      this.saveButton.disabled = false;
    }
  }

  /** Shows each error at its control; returns the message for the others. */
  showErrors(error) {
    if (!(error instanceof ApiError)) return errorMessage(error);
    const others = [];
    const marked = [];
    for (const [name, messages] of Object.entries(error.errors)) {
      const control = this.controls.get(name) ?? this.placeholders.find((placeholder) => placeholder.key.startsWith(name))?.control;
      if (control) {
        showFieldError(control, [messages].flat().join(" "));
        marked.push(control);
      } else others.push(`${name}: ${[messages].flat().join(" ")}`);
    }
    marked[0]?.focus();
    return others.length ? others.join(" ") : Object.keys(error.errors).length ? t("Correct the highlighted fields.") : error.message;
  }

  showSaved(saved) {
    const text = this.query.value.trim() || "test";
    const query = new URLSearchParams({ q: text, providers: String(saved.id) });
    const head = h("p", { class: "done-line", tabindex: "-1" }, h("b", {}, t("{name} was saved.", { name: saved.name })));
    fill(this.element, h("div", { class: "done" }, head,
      h("p", {}, saved.active ? t("It is now included in searches.") : t("It is not active yet. Turn it on in the list of sources.")),
      h("div", { class: "save-row" },
        h("a", { class: "go", href: `/?${query}` }, t("Try a search")),
        h("a", { class: "soft", href: `/admin/searchproviders/${saved.id}/` }, t("Edit source")),
        h("a", { class: "soft", href: location.pathname }, t("Add another")))));
    head.focus();
    announce(t("{name} was saved.", { name: saved.name }));
  }
}

/** The label of a placeholder, such as `API key` of the parameter `api_key`. */
const labelOf = ({ label }) => toSentence(label.replaceAll("_", " "), "").replace(/^Api /, "API ");

/** The next step after a failed test, by its error code. */
function nextStep(code) {
  if (code === "denied") return t("Check the key or the password above.");
  if (code === "unreadable") return t("Check the result list and the paths above.");
  if (code === "config_invalid") return t("Check the values above.");
  return t("Then test again.");
}
