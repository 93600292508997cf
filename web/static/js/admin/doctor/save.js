// Step 4: name, placeholders, test and save. The gallery uses it too.

import { Refused, post } from "../../api.js";
import { announce, fill, h } from "../../dom.js";
import { fixed, number, t } from "../../i18n.js";
import { field, mistake, sentence, toggle } from "../parts.js";
import { blanksOf, filledIn, fromRequest } from "./blanks.js";
import { looksLike } from "./result.js";

/** The address of a provider that was made from a sample alone. */
const NO_ADDRESS = "https://<your-source>/search";

export class Saving {
  /** `mappings` replaces those of the draft; `request` may tell what the blanks are. */
  constructor(draft, { request = "", query = "", mappings = null } = {}) {
    this.draft = { ...draft };
    this.mappings = mappings;
    this.isTested = false;
    this.name = h("input", { type: "text", maxlength: 200, required: true, autocomplete: "off", value: draft.name });
    this.query = h("input", { type: "text", maxlength: 1000, autocomplete: "off", value: query || "test" });
    this.active = toggle(t("Active"), true);
    this.byDefault = toggle(t("Include in every search"), true);
    this.controls = new Map([["name", this.name]]);
    this.outcome = h("div", { class: "outcome", "aria-live": "polite" });
    this.testButton = h("button", { type: "button", class: "soft", onclick: () => this.test() }, t("Test"));
    this.saveButton = h("button", { class: "go" }, t("Save"));
    this.said = h("div", { role: "alert" });
    this.element = h("div", {}, this.form(request));
  }

  form(request) {
    const address = this.addressFields();
    this.blanks = blanksOf(this.draft).map((blank) => {
      const control = h("input", { type: blank.isSecret ? "password" : "text", autocomplete: "off", spellcheck: "false", value: fromRequest(request, blank.label) });
      const help = control.value ? t("Taken from your request.") : blank.isSecret ? t("It will not be shown again.") : "";
      return { ...blank, control, element: field(whole(blank.label, ""), control, help) };
    });
    return h("form", { class: "saving", novalidate: true, onsubmit: (event) => this.save(event) },
      field(t("Name"), this.name, t("Unique; shown next to each result.")), address, this.blanks.map((blank) => blank.element),
      h("div", { class: "test-row" }, field(t("Test query"), this.query), this.testButton), this.outcome,
      h("div", { class: "save-row" }, this.active, this.byDefault, this.saveButton), this.said);
  }

  /** Only for a provider that does not know how its source is asked. */
  addressFields() {
    if (this.draft.url !== NO_ADDRESS) return [];
    const url = h("input", { type: "url", placeholder: "https://api.example.org/search", autocomplete: "off" });
    const template = h("input", { type: "text", class: "path", value: this.draft.query_template, autocomplete: "off", spellcheck: "false" });
    this.draft.url = "";
    url.addEventListener("input", () => (this.draft.url = url.value.trim()));
    template.addEventListener("input", () => (this.draft.query_template = template.value.trim()));
    this.controls.set("url", url).set("query_template", template);
    return [
      field(t("Source URL"), url, t("The URL up to the question mark.")),
      field(t("Query template"), template, t("{query_string} is replaced by the query.")),
    ];
  }

  /** What was tested is no longer what would be saved. */
  changed() {
    if (!this.isTested) return;
    this.isTested = false;
    fill(this.outcome, h("p", { class: "muted" }, t("The fields have changed. Test again.")));
  }

  /** The provider as it would be saved, or nothing when something is missing; the place is marked then. */
  provider() {
    for (const control of this.controls.values()) mistake(control);
    for (const { control } of this.blanks) mistake(control);
    const missing = [];
    if (!this.name.value.trim()) missing.push([this.name, t("Enter a name.")]);
    const url = this.controls.get("url");
    if (url && !URL.canParse(this.draft.url)) missing.push([url, t("Enter the full URL, starting with https://.")]);
    for (const { control } of this.blanks) if (!control.value.trim()) missing.push([control, t("The source requires this value.")]);
    for (const [control, said] of missing) mistake(control, said);
    if (missing.length) {
      missing[0][0].focus();
      return null;
    }
    const values = new Map(this.blanks.map(({ key, control }) => [key, control.value]));
    const isOn = (label) => label.querySelector("input").checked;
    return {
      ...filledIn(this.draft, values),
      ...this.mappings?.written(),
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
      fill(this.outcome, this.told(test, provider.name));
    } catch (error) {
      fill(this.outcome, h("p", { class: "note bad" }, this.refused(error)));
    } finally {
      this.testButton.disabled = false;
    }
  }

  told(test, name) {
    if (test.error) return h("div", { class: "note bad" }, h("b", {}, t("The test failed.")), " ", whole(test.error.message), " ", remedy(test.error.code));
    if (!test.sample) return h("p", { class: "note warn" }, t("The source responded but returned no results. Try another query, or check the result list above."));
    const line = t("Found {found}, retrieved {retrieved} in {seconds} s.", { found: number(test.found), retrieved: number(test.retrieved), seconds: fixed(test.time, 2) });
    return [h("p", { class: "good-line" }, h("b", {}, t("It works.")), " ", line), looksLike(test.sample, name)];
  }

  async save(event) {
    event.preventDefault();
    const provider = this.provider();
    if (!provider) return;
    fill(this.said);
    this.saveButton.disabled = true;
    try {
      const saved = await post("/searchproviders/", provider);
      this.done(saved);
    } catch (error) {
      fill(this.said, h("p", { class: "alert" }, this.refused(error)));
    } finally {
      this.saveButton.disabled = false;
    }
  }

  /** Shows each mistake at its control; returns what belongs to none. */
  refused(error) {
    if (!(error instanceof Refused)) return sentence(error);
    const others = [];
    const marked = [];
    for (const [name, said] of Object.entries(error.errors)) {
      const control = this.controls.get(name) ?? this.blanks.find((blank) => blank.key.startsWith(name))?.control;
      if (control) {
        mistake(control, [said].flat().join(" "));
        marked.push(control);
      } else others.push(`${name}: ${[said].flat().join(" ")}`);
    }
    marked[0]?.focus();
    return others.length ? others.join(" ") : Object.keys(error.errors).length ? t("Correct the highlighted fields.") : error.message;
  }

  done(saved) {
    const asked = this.query.value.trim() || "test";
    const query = new URLSearchParams({ q: asked, providers: String(saved.id) });
    const head = h("p", { class: "done-line", tabindex: "-1" }, h("b", {}, t("{name} was saved.", { name: saved.name })));
    fill(this.element, h("div", { class: "done" }, head,
      h("p", {}, saved.active ? t("It is now included in searches.") : t("It is not active yet. Enable it in the list of SearchProviders.")),
      h("div", { class: "save-row" },
        h("a", { class: "go", href: `/?${query}` }, t("Try a search")),
        h("a", { class: "soft", href: `/admin/searchproviders/${saved.id}/` }, t("Edit source")),
        h("a", { class: "soft", href: location.pathname }, t("Add another")))));
    head.focus();
    announce(t("{name} was saved.", { name: saved.name }));
  }
}

/** With a capital, and as a sentence with its end. */
const whole = (text, end = ".") => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : end);

/** What to do next on this page about a failed test, by the machine word of the failure. */
function remedy(code) {
  if (code === "denied") return t("Check the key or the password above.");
  if (code === "unreadable") return t("Check the result list and the paths above.");
  if (code === "config_invalid") return t("Check the values above.");
  return t("Then test again.");
}
