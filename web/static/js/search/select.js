// Selection of results for a summary, and the switch for all details. The selection persists across pages.

import { all, h, one } from "../dom.js";

const results = one("#results");
const chooses = one("#select-items");
const shows = one("#show-details");
const chosen = new Set();
/** As many are chosen at the beginning when none has a star. */
const BEST = 3;
let search = 0;

export function selection() {
  for (const toggle of [chooses, shows]) toggle.closest("label").hidden = false;
  chooses.checked = false;
  shows.checked = false;
  chooses.addEventListener("change", () => {
    chosen.clear();
    if (chooses.checked) best();
    draw();
    tell();
  });
  shows.addEventListener("change", details);
  one("#select-all").addEventListener("click", () => mark(true));
  one("#select-none").addEventListener("click", () => mark(false));
  results.addEventListener("change", (event) => {
    const box = event.target.closest(".choose input");
    if (!box) return;
    put(Number(box.closest("[data-id]").dataset.id), box.checked);
    tell();
  });
  document.addEventListener("tributary:list", ({ detail }) => {
    if (detail.search !== search) chosen.clear();
    const isOther = detail.search !== search;
    search = detail.search;
    if (isOther && chooses.checked) best();
    draw();
    details();
    if (chooses.checked) tell();
  });
}

/** Chooses the result, or not any more. */
export function toggle(result) {
  if (!chooses.checked) chooses.click();
  one(":scope > .choose input", result)?.click();
}

function best() {
  const saved = all(".result[data-id]", results);
  const starred = saved.filter((result) => result.dataset.starred !== undefined);
  for (const result of starred.length ? starred : saved.slice(0, BEST)) chosen.add(Number(result.dataset.id));
}

function mark(isOn) {
  if (!isOn) chosen.clear();
  else for (const result of all(".result[data-id]", results)) put(Number(result.dataset.id), true);
  draw();
  tell();
}

function put(id, isOn) {
  if (isOn) chosen.add(id);
  else chosen.delete(id);
}

function draw() {
  results.classList.toggle("selecting", chooses.checked);
  one("#selection").hidden = !chooses.checked;
  for (const result of all(".result, .version[data-id]", results)) {
    let box = one(":scope > .choose input", result);
    if (!chooses.checked) box?.closest(".choose").remove();
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

function details() {
  for (const fold of all(".result details.details", results)) {
    if (shows.checked) fold.open = true;
    else if (!one(".dataset", fold)) fold.open = fold.open && !shows.dataset.was;
  }
  if (shows.checked) shows.dataset.was = "on";
  else delete shows.dataset.was;
}

function tell() {
  const count = one("#selection-count");
  count.textContent = count.dataset.many.replace("{n}", chosen.size);
  document.dispatchEvent(new CustomEvent("tributary:selection", { detail: { ids: [...chosen] } }));
}
