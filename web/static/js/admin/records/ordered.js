// Ordered list of names: reorder by dragging or buttons, remove, add.

import { get } from "../../api.js";
import { announce, fill, h } from "../../dom.js";
import { langOf, loadCatalog, t, tc } from "../../i18n.js";
import { breakable } from "../components.js";
import { processorWords } from "./split_words.js";

/** The control of an ordered list of names, which are loaded from the API. */
export function ordered(spec) {
  const list = h("ol", { class: "ordered" });
  const add = h("select", { "aria-label": t("Processor to add") });
  const adding = h("button", { type: "button", class: "soft", onclick: () => add.value && change([...names, add.value], t("{what} was added.", { what: add.value })) }, t("Add"));
  const element = h("div", {}, list, h("div", { class: "ordered-add" }, add, adding));
  let names = [];
  let known = [];
  let dragged = null;

  function change(next, message) {
    names = next;
    draw();
    announce(message);
    element.dispatchEvent(new Event("change", { bubbles: true }));
  }

  function move(from, to, isByKey) {
    if (to < 0 || to >= names.length || from === to) return;
    const next = [...names];
    const [name] = next.splice(from, 1);
    next.splice(to, 0, name);
    change(next, t("{what} is now number {n} of {all}.", { what: name, n: to + 1, all: next.length }));
    if (!isByKey) return;
    // The focus stays on the same arrow of the moved item; at an end of the list, on the other arrow.
    const [up, down] = list.children[to].querySelectorAll("button");
    (to < from ? (up.disabled ? down : up) : down.disabled ? up : down).focus();
  }

  function draw() {
    fill(list, names.map((name, place) => item(name, place)));
    const left = known.filter((row) => !names.includes(row.name));
    fill(add, h("option", { value: "" }, t("Choose…")), left.map((row) => h("option", { value: row.name }, processorWords(row.name))));
  }

  function item(name, place) {
    const row = known.find((one) => one.name === name);
    const button = (label, symbol, disabled, onclick) => h("button", { type: "button", class: "small", "aria-label": label, title: label, disabled, onclick }, symbol);
    return h("li", {
      draggable: "true",
      ondragstart: (event) => {
        dragged = place;
        event.dataTransfer.effectAllowed = "move";
        event.dataTransfer.setData("text/plain", name);
        event.currentTarget.classList.add("is-dragged");
      },
      ondragend: (event) => {
        dragged = null;
        event.currentTarget.classList.remove("is-dragged");
      },
      ondragover: (event) => {
        if (dragged === null) return;
        event.preventDefault();
        event.currentTarget.classList.add("is-target");
      },
      ondragleave: (event) => event.currentTarget.classList.remove("is-target"),
      ondrop: (event) => {
        event.preventDefault();
        if (dragged !== null) move(dragged, place, false);
      },
    },
    h("span", { class: "grip", "aria-hidden": "true" }, "⠿"),
    h("span", { class: "ordered-word" },
      h("span", {}, h("b", {}, processorWords(name)), " ", h("code", { class: "ordered-name" }, breakable(name))),
      h("span", { class: "muted" }, row ? summary(row) : known.length ? t("Unknown to this service.") : "")),
    h("span", { class: "ordered-buttons" },
      button(t("Move {what} up", { what: name }), "↑", place === 0, () => move(place, place - 1, true)),
      button(t("Move {what} down", { what: name }), "↓", place === names.length - 1, () => move(place, place + 1, true)),
      button(t("Remove {what}", { what: name }), "×", false, () => change(names.filter((_, at) => at !== place), t("{what} was removed.", { what: name })))));
  }

  loadNames(spec.choices.named).then((rows) => ((known = rows), draw()), () => {});
  const write = (value) => {
    names = [...(value ?? [])];
    draw();
  };
  return { element, read: () => [...names], write, raw: () => names.join("\n") };
}

/** The processors of a kind; query processors include the query transforms. */
async function loadNames(path) {
  const [list, query] = path.split("?");
  const wanted = new URLSearchParams(query).get("kind");
  const [found] = await Promise.all([get(list), loadCatalog()]);
  const rows = found.filter((row) => !wanted || row.kind === wanted);
  if (wanted !== "query_processor") return rows;
  const transforms = await get("/querytransforms/").catch(() => []);
  return [...rows, ...transforms.map((row) => ({ name: `${row.name}.${row.qrx_type}` }))];
}

/** What a processor does; a query transform has no summary. */
const summary = (row) => (row.summary === undefined ? t("A query transform.") : h("span", { lang: langOf(row.summary) }, breakable(tc(row.summary))));
