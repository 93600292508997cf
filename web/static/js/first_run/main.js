// First steps of a new installation: adds ready-made sources with one click.

import { get, post } from "../api.js";
import { all, announce, h, one } from "../dom.js";
import { t } from "../i18n.js";

const card = one(".first-run");
for (const button of all("[data-source]", card)) {
  button.disabled = false;
  button.addEventListener("click", () => addSource(button));
}

async function addSource(button) {
  const problem = one("[data-error]", card);
  problem.hidden = true;
  button.disabled = true;
  try {
    const record = await get(`/readysources/${encodeURIComponent(button.dataset.source)}/`);
    await post("/searchproviders/", { ...record, active: true, default: true });
    showAdded(button, record.name);
  } catch (error) {
    problem.textContent = Object.values(error.errors ?? {}).flat().join(" ") || error.message;
    problem.hidden = false;
    button.disabled = false;
    button.focus();
  }
}

/** The next step becomes available. */
function showAdded(button, name) {
  const mark = h("span", { class: "badge", tabindex: "-1" }, button.dataset.done);
  button.replaceWith(mark);
  mark.focus();
  one("[data-before]", card).hidden = true;
  one("[data-after]", card).hidden = false;
  announce(t("{name} was added. You can search now.", { name }));
}
