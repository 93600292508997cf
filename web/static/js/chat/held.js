// The documents that are held for further questions: chips above the message.

import { all, h, one, toast } from "../dom.js";
import { t } from "../words.js";

const list = () => one(".held");

/** `[{search_id, swirl_id}]`, as the API takes them. */
export function held() {
  return all("[data-document]", list()).map((chip) => {
    const [search, result] = chip.dataset.document.split(":").map(Number);
    return { search_id: search, swirl_id: result };
  });
}

/** Holds a document, given as `search:result`. */
export function hold(document, title) {
  if (all("[data-document]", list()).some((chip) => chip.dataset.document === document)) return;
  const most = Number(list().dataset.max);
  if (held().length >= most) {
    toast(t("At most {n} documents can be held.", { n: most }), { bad: true });
    return;
  }
  const name = title || t("(no title)");
  const away = h("button", { type: "button", class: "plain", "aria-label": t("Let go of {title}", { title: name }) }, "×");
  list().append(h("li", { "data-document": document }, h("span", null, name), away));
  list().hidden = false;
}

/** Watches the chips. */
export function watch() {
  list().addEventListener("click", (event) => {
    const chip = event.target.closest("button")?.closest("li");
    if (!chip) return;
    chip.remove();
    list().hidden = held().length === 0;
    one(".compose textarea").focus();
  });
}
