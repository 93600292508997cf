// Command palette: goes to a page of the console, a source or a setting by its name.

import { fill, h } from "../../dom.js";
import { t, tn } from "../../i18n.js";
import { findEntries } from "./entries.js";

/** Delay after the last keystroke before the entries are searched. */
const WAIT_MS = 100;
const LIST_ID = "palette-list";

class Palette {
  constructor() {
    this.options = [];
    this.current = -1;
    /** The search in progress, so that Enter opens what belongs to the text. */
    this.pending = Promise.resolve();
    this.input = h("input", {
      type: "text", class: "palette-input", role: "combobox", autocomplete: "off", spellcheck: "false", maxlength: 200,
      "aria-label": t("Find a page, source or setting"), placeholder: t("Find a page, source or setting"),
      "aria-autocomplete": "list", "aria-controls": LIST_ID, "aria-expanded": "false", oninput: () => this.search(WAIT_MS),
      onkeydown: (event) => this.press(event),
    });
    this.list = h("div", { id: LIST_ID, class: "palette-list", role: "listbox", "aria-label": t("Matches") });
    this.status = h("p", { class: "palette-status muted", role: "status" });
    this.dialog = h("dialog", { class: "palette", "aria-label": t("Go to…"), onclick: (event) => event.target === this.dialog && this.dialog.close() },
      h("div", { class: "palette-body" }, this.input, this.list, this.status));
    document.body.append(this.dialog);
  }

  toggle() {
    if (this.dialog.open) return this.dialog.close();
    this.input.value = "";
    this.dialog.showModal();
    this.input.focus();
    this.search(0);
  }

  /** Searches after a delay; an earlier search is dropped. */
  search(delay) {
    clearTimeout(this.waiting);
    this.request?.abort();
    this.request = new AbortController();
    const { signal } = this.request;
    this.pending = new Promise((done) => {
      this.waiting = setTimeout(() => done(this.load(signal)), delay);
    });
  }

  async load(signal) {
    try {
      const groups = await findEntries(this.input.value, signal);
      if (!signal.aborted) this.draw(groups);
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  }

  draw(groups) {
    this.options = [];
    fill(this.list, groups.map((group, number) => this.group(group, number)));
    const count = this.options.length;
    this.input.setAttribute("aria-expanded", String(count > 0));
    fill(this.status, count ? tn("One match", "{n} matches", count) : t("Nothing found."));
    this.status.classList.toggle("visually-hidden", count > 0);
    this.select(count ? 0 : -1);
  }

  group({ title, entries }, number) {
    const label = `palette-group-${number}`;
    const options = entries.map((entry) => {
      const option = h("a", { id: `palette-option-${this.options.length}`, class: "palette-option", role: "option", tabindex: "-1", href: entry.href, "aria-selected": "false" },
        h("span", { class: "palette-name" }, entry.name), entry.detail && h("span", { class: "palette-detail faint" }, entry.detail));
      option.addEventListener("pointermove", () => this.select(this.options.indexOf(option)));
      this.options.push(option);
      return option;
    });
    return h("div", { role: "group", "aria-labelledby": label }, h("div", { id: label, class: "palette-kind", role: "presentation" }, title), options);
  }

  select(place) {
    this.options[this.current]?.setAttribute("aria-selected", "false");
    this.current = place;
    const option = this.options[place];
    if (!option) return this.input.removeAttribute("aria-activedescendant");
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", option.id);
  }

  press(event) {
    const count = this.options.length;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && count) {
      event.preventDefault();
      this.select((this.current + step + count) % count);
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      this.pending.then(() => this.options[this.current]?.click());
    }
  }
}

let palette;

export function toggle() {
  palette ??= new Palette();
  palette.toggle();
}
