// Source selection: all, none, some, or by tag.

import { all, one } from "../dom.js";

const sources = () => all('#pick [name="sources"]');
const chips = () => all('input[name="tags"]');
const isDefault = () => sources().every((box) => box.checked === (box.dataset.default !== undefined));

export function initPicker(form) {
  const allBox = one("#pick-all");
  const defaultButton = one("#pick-default");
  allBox.closest("label").hidden = sources().length < 2;
  defaultButton.hidden = sources().length < 2;
  allBox.addEventListener("change", () => {
    for (const box of sources()) box.checked = allBox.checked;
    clearTags();
    update();
  });
  defaultButton.addEventListener("click", () => {
    checkSources((box) => box.dataset.default !== undefined);
    clearTags();
    update();
  });
  one("#pick").addEventListener("change", (event) => {
    if (event.target.name === "sources") clearTags();
    update();
  });
  handleFinding();
  for (const chip of chips()) chip.addEventListener("change", selectByTag);
  if (chips().some((chip) => chip.checked)) selectByTag();
  update();
  form.addEventListener("reset", update);
}

/** The search box in a long list of sources. Enter in it does not start a search. */
function handleFinding() {
  const box = one("#pick [data-find-source]");
  box?.addEventListener("input", async () => (await import("./find_source.js")).findSource(box));
  box?.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
}

/** The fields of the search form. Sources are left out if they are the default ones. */
export function searchFields(form) {
  const fields = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  if (fields.has("tags") || isDefault() || !fields.has("sources")) fields.delete("sources");
  return fields;
}

function selectByTag() {
  const tags = chips().filter((chip) => chip.checked).map((chip) => chip.value.toLowerCase());
  const has = (box) => box.dataset.tags.split(",").some((tag) => tags.includes(tag));
  checkSources(tags.length ? has : (box) => box.dataset.default !== undefined);
  update();
}

function checkSources(isWanted) {
  for (const box of sources()) box.checked = isWanted(box);
}

function clearTags() {
  for (const chip of chips()) chip.checked = false;
}

function update() {
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
