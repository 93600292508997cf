// Selection of results for a summary, and the switch for all details. The selection persists across pages.

import { all, h, one } from "../dom.js";

const results = one("#results");
const selectSwitch = one("#select-items");
const detailsSwitch = one("#show-details");
const chosen = new Set();
/** Number of results that are selected at first if none has a star. */
const BEST_COUNT = 3;
let search = 0;

export function initSelection() {
  for (const toggle of [selectSwitch, detailsSwitch]) toggle.closest("label").hidden = false;
  selectSwitch.checked = false;
  detailsSwitch.checked = false;
  selectSwitch.addEventListener("change", () => {
    chosen.clear();
    if (selectSwitch.checked) selectBest();
    draw();
    notify();
  });
  detailsSwitch.addEventListener("change", applyDetails);
  one("#select-all").addEventListener("click", () => selectAll(true));
  one("#select-none").addEventListener("click", () => selectAll(false));
  results.addEventListener("change", (event) => {
    const box = event.target.closest(".choose input");
    if (!box) return;
    setSelected(Number(box.closest("[data-id]").dataset.id), box.checked);
    notify();
  });
  document.addEventListener("tributary:list", ({ detail }) => {
    if (detail.search !== search) chosen.clear();
    const isOther = detail.search !== search;
    search = detail.search;
    if (isOther && selectSwitch.checked) selectBest();
    draw();
    applyDetails();
    if (selectSwitch.checked) notify();
  });
}

/** Selects a result, or removes it from the selection. */
export function toggle(result) {
  if (!selectSwitch.checked) selectSwitch.click();
  one(":scope > .choose input", result)?.click();
}

function selectBest() {
  const saved = all(".result[data-id]", results);
  const starred = saved.filter((result) => result.dataset.starred !== undefined);
  for (const result of starred.length ? starred : saved.slice(0, BEST_COUNT)) chosen.add(Number(result.dataset.id));
}

function selectAll(isOn) {
  if (!isOn) chosen.clear();
  else for (const result of all(".result[data-id]", results)) setSelected(Number(result.dataset.id), true);
  draw();
  notify();
}

function setSelected(id, isOn) {
  if (isOn) chosen.add(id);
  else chosen.delete(id);
}

function draw() {
  results.classList.toggle("selecting", selectSwitch.checked);
  one("#selection").hidden = !selectSwitch.checked;
  for (const result of all(".result, .version[data-id]", results)) {
    let box = one(":scope > .choose input", result);
    if (!selectSwitch.checked) box?.closest(".choose").remove();
    else if (!box) {
      const title = one("h2, .title", result).textContent.trim();
      box = h("input", { type: "checkbox", "aria-label": results.dataset.select.replace("{title}", title) });
      result.prepend(h("span", { class: "choose" }, box));
    }
    if (box) {
      box.disabled = !result.dataset.id;
      box.checked = chosen.has(Number(result.dataset.id));
    }
  }
  const count = one("#selection-count");
  count.textContent = count.dataset.many.replace("{n}", chosen.size);
}

function applyDetails() {
  for (const fold of all(".result details.details", results)) {
    if (detailsSwitch.checked) fold.open = true;
    else if (!one(".dataset", fold)) fold.open = fold.open && !detailsSwitch.dataset.was;
  }
  if (detailsSwitch.checked) detailsSwitch.dataset.was = "on";
  else delete detailsSwitch.dataset.was;
}

function notify() {
  const count = one("#selection-count");
  count.textContent = count.dataset.many.replace("{n}", chosen.size);
  document.dispatchEvent(new CustomEvent("tributary:selection", { detail: { ids: [...chosen] } }));
}
