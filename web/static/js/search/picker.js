// Source selection: all, none, some, or by tag.

import { all, one } from "../dom.js";

const sources = () => all('#pick [name="sources"]');
const chips = () => all('input[name="tags"]');
const isUsual = () => sources().every((box) => box.checked === (box.dataset.default !== undefined));

export function picker(form) {
  const everything = one("#pick-all");
  const usual = one("#pick-default");
  everything.closest("label").hidden = sources().length < 2;
  usual.hidden = sources().length < 2;
  everything.addEventListener("change", () => {
    for (const box of sources()) box.checked = everything.checked;
    untag();
    show();
  });
  usual.addEventListener("click", () => {
    tick((box) => box.dataset.default !== undefined);
    untag();
    show();
  });
  one("#pick").addEventListener("change", (event) => {
    if (event.target.name === "sources") untag();
    show();
  });
  for (const chip of chips()) chip.addEventListener("change", byTag);
  if (chips().some((chip) => chip.checked)) byTag();
  show();
  form.addEventListener("reset", show);
}

/** What the form asks for. Sources that are asked anyway need not be named. */
export function wanted(form) {
  const fields = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  if (fields.has("tags") || isUsual() || !fields.has("sources")) fields.delete("sources");
  return fields;
}

function byTag() {
  const tags = chips().filter((chip) => chip.checked).map((chip) => chip.value.toLowerCase());
  const has = (box) => box.dataset.tags.split(",").some((tag) => tags.includes(tag));
  tick(tags.length ? has : (box) => box.dataset.default !== undefined);
  show();
}

function tick(isWanted) {
  for (const box of sources()) box.checked = isWanted(box);
}

function untag() {
  for (const chip of chips()) chip.checked = false;
}

function show() {
  const summary = one("#pick > summary");
  const boxes = sources();
  const chosen = boxes.filter((box) => box.checked).length;
  const everything = one("#pick-all");
  everything.checked = chosen === boxes.length;
  everything.indeterminate = chosen > 0 && chosen < boxes.length;
  const count = Number(summary.dataset.count);
  if (count !== boxes.length) return;
  const sentence = chosen < count ? summary.dataset.some : count === 1 ? summary.dataset.one : summary.dataset.many;
  summary.textContent = sentence.replace("{n}", chosen).replace("{all}", count);
  summary.dataset.short = `${chosen}/${count}`;
}
