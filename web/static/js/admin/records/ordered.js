// Ordered list of names: reorder by dragging or buttons, remove, add.

import { get } from "../../api.js";
import { announce, fill, h } from "../../dom.js";
import { t } from "../../i18n.js";

/** The control of an ordered list; its words come from a catalogue of the API. */
export function ordered(spec) {
  const list = h("ol", { class: "ordered" });
  const add = h("select", { "aria-label": t("Processor to add") });
  const adding = h("button", { type: "button", class: "soft", onclick: () => add.value && change([...words, add.value], t("{what} was added.", { what: add.value })) }, t("Add"));
  const element = h("div", {}, list, h("div", { class: "ordered-add" }, add, adding));
  let words = [];
  let known = [];
  let dragged = null;

  function change(next, said) {
    words = next;
    draw();
    announce(said);
    element.dispatchEvent(new Event("change", { bubbles: true }));
  }

  function move(from, to, isByKey) {
    if (to < 0 || to >= words.length || from === to) return;
    const next = [...words];
    const [word] = next.splice(from, 1);
    next.splice(to, 0, word);
    change(next, t("{what} is now number {n} of {all}.", { what: word, n: to + 1, all: next.length }));
    if (!isByKey) return;
    // The focus stays on the same arrow of the word that moved; at an end, on the other one.
    const [up, down] = list.children[to].querySelectorAll("button");
    (to < from ? (up.disabled ? down : up) : down.disabled ? up : down).focus();
  }

  function draw() {
    fill(list, words.map((word, place) => item(word, place)));
    const left = known.filter((row) => !words.includes(row.name));
    fill(add, h("option", { value: "" }, t("Choose…")), left.map((row) => h("option", { value: row.name }, row.name)));
  }

  function item(word, place) {
    const row = known.find((one) => one.name === word);
    const button = (label, sign, disabled, onclick) => h("button", { type: "button", class: "small", "aria-label": label, title: label, disabled, onclick }, sign);
    return h("li", {
      draggable: "true",
      ondragstart: (event) => {
        dragged = place;
        event.dataTransfer.effectAllowed = "move";
        event.dataTransfer.setData("text/plain", word);
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
    h("span", { class: "ordered-word" }, h("b", {}, word), h("small", {}, row?.summary ?? (known.length ? t("Unknown to this service.") : ""))),
    h("span", { class: "ordered-buttons" },
      button(t("Move {what} up", { what: word }), "↑", place === 0, () => move(place, place - 1, true)),
      button(t("Move {what} down", { what: word }), "↓", place === words.length - 1, () => move(place, place + 1, true)),
      button(t("Remove {what}", { what: word }), "×", false, () => change(words.filter((_, at) => at !== place), t("{what} was removed.", { what: word })))));
  }

  catalogue(spec.choices.named).then((rows) => ((known = rows), draw()), () => {});
  const write = (value) => {
    words = [...(value ?? [])];
    draw();
  };
  return { element, read: () => [...words], write, raw: () => words.join("\n") };
}

/** The processors of a kind; to those of queries the transforms belong. */
async function catalogue(path) {
  const [list, query] = path.split("?");
  const wanted = new URLSearchParams(query).get("kind");
  const rows = (await get(list)).filter((row) => !wanted || row.kind === wanted);
  if (wanted !== "query_processor") return rows;
  const transforms = await get("/querytransforms/").catch(() => []);
  return [...rows, ...transforms.map((row) => ({ name: `${row.name}.${row.qrx_type}`, summary: t("A query transform.") }))];
}
