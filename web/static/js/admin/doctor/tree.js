// Step 2: the response as a tree. Each value of a result is a button that assigns it to a field.

import { fill, h } from "../../dom.js";
import { t, tn } from "../../i18n.js";
import { FIELDS } from "./mappings.js";
import { startsWith, isSame } from "./path.js";
import { LABELS } from "./labels.js";

export class Tree {
  constructor(mappings, { onchoose, onlist }) {
    this.mappings = mappings;
    this.onchoose = onchoose;
    this.onlist = onlist;
    this.leaves = [];
    this.hint = h("p", { class: "tree-hint", "aria-live": "polite" });
    const root = h("ul", { class: "tree" });
    fill(root, this.children(mappings.answer, []));
    this.element = h("div", {},
      h("p", { class: "muted" }, tn("One result was found in the response. The list is highlighted.", "{n} results were found in the response. The list is highlighted.", mappings.count)),
      this.hint, h("div", { class: "tree-box", role: "region", "aria-label": t("Response"), tabindex: "0" }, root));
    this.showCurrentField(FIELDS[0]);
    this.mark();
  }

  /** Shows which field the next click assigns. */
  showCurrentField(key) {
    fill(this.hint, t("Click a value to use it as:"), " ", h("b", {}, LABELS[key]));
  }

  /** Focuses the value that the field uses, or the first value of a result. */
  focus(key) {
    const leaf = this.leaves.find((one) => this.mappings.uses(one.steps).includes(key)) ?? this.leaves[0];
    leaf?.button.focus({ preventScroll: true });
    leaf?.button.scrollIntoView({ block: "nearest" });
  }

  /** Shows at each value which fields use it. */
  mark() {
    for (const leaf of this.leaves) {
      const uses = this.mappings.uses(leaf.steps);
      leaf.button.classList.toggle("is-used", uses.length > 0);
      fill(leaf.marks, uses.map((key) => h("span", { class: `mark-of f-${key}` }, LABELS[key])));
    }
  }

  children(value, steps) {
    const entries = Array.isArray(value) ? value.map((item, place) => [place, item]) : Object.entries(value ?? {});
    return entries.map(([name, item]) => h("li", {}, this.node(name, item, [...steps, name])));
  }

  node(name, value, steps) {
    const isFolder = value !== null && typeof value === "object" && Object.keys(value).length > 0;
    return isFolder ? this.folder(name, value, steps) : this.leaf(name, value, steps);
  }

  folder(name, value, steps) {
    const { results } = this.mappings;
    const isList = Array.isArray(value);
    const isResults = isSame(steps, results);
    const onTheWay = startsWith(results, steps);
    const firstItem = startsWith(steps, results) && (steps.length === results.length || steps[results.length] === 0);
    const list = h("ul", {});
    const label = [h("span", { class: "k" }, typeof name === "number" ? `[${name}]` : name),
      isResults ? h("span", { class: "badge" }, t("results")) : h("span", { class: "faint" }, isList ? tn("1 item", "{n} items", value.length) : "{ … }")];
    const fold = h("details", { class: isResults ? "is-results" : null }, h("summary", {}, label), list);
    const build = () => {
      if (list.firstChild) return;
      const canBeResults = isList && !isResults && !onTheWay && value.some((item) => item && typeof item === "object" && !Array.isArray(item));
      if (canBeResults) list.append(h("li", {}, h("button", { type: "button", class: "plain", onclick: () => this.onlist(steps) }, t("Use as result list"))));
      list.append(...this.children(value, steps));
      this.mark();
    };
    fold.addEventListener("toggle", build);
    if (onTheWay || firstItem) {
      build();
      fold.open = true;
    }
    return fold;
  }

  leaf(name, value, steps) {
    const key = h("span", { class: "k" }, typeof name === "number" ? `[${name}]` : name);
    const shown = typeof value === "string" ? value : JSON.stringify(value);
    const text = h("span", { class: `v ${value === null ? "null" : typeof value}` }, shown);
    const { results } = this.mappings;
    const isInside = startsWith(steps, results) && typeof steps[results.length] === "number" && steps.length > results.length + 1;
    if (!isInside) return h("div", { class: "leaf is-outside" }, key, text);
    const marks = h("span", { class: "marks" });
    const button = h("button", { type: "button", class: "leaf", onclick: () => this.onchoose(steps) }, key, text, marks);
    this.leaves.push({ steps, button, marks });
    return button;
  }
}
