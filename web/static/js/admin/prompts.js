// Prompts page. Standard prompts are read-only; a copy can restore their texts.

import { get } from "../api.js";
import { h, toast } from "../dom.js";
import { t } from "../i18n.js";
import { errorMessage } from "./components.js";
import { start } from "./records/page.js";

const PARTS = ["prompt", "note", "footer"];

/** What each standard prompt asks for, by its name. */
const DESCRIPTIONS = {
  search_rag_standard: () => t("Summarizes a search: the answer first, then what supports it. This is the default."),
  search_rag_deeplink: () => t("Summarizes a search in short sentences, each with one citation in the words of its source."),
  chat_rag_instructions_standard: () => t("How the assistant behaves in a conversation."),
  chat_rag_standard: () => t("How the assistant answers from sources: the answer first, then what supports it."),
  chat_rag_deeplink: () => t("How the assistant answers from sources, in statements that can be checked word for word."),
};

const describe = (row) => (row.standard ? (DESCRIPTIONS[row.name]?.() ?? "") : "");

const standard = (row) => (row.standard ? h("span", { class: "badge" }, t("standard")) : null);

/** Inserts the texts of a standard prompt into the form. */
function restore(form) {
  if (form.fixed) return null;
  const select = h("select", { "aria-label": t("Standard prompt") });
  const insert = h("button", { type: "button", class: "soft", disabled: true, onclick: () => {
    const row = rows.find((one) => String(one.id) === select.value);
    for (const name of PARTS) form.fields.get(name).write(row[name]);
    toast(t("Standard texts inserted. Save to keep them."));
  } }, t("Insert"));
  let rows = [];
  get("/prompts/").then((all) => {
    rows = all.filter((row) => row.standard);
    select.append(...rows.map((row) => h("option", { value: row.id }, row.name)));
    const tags = form.row.tags ?? [];
    const match = rows.find((row) => row.tags.some((tag) => tags.includes(tag)));
    if (match) select.value = match.id;
    insert.disabled = !rows.length;
  }, (error) => toast(errorMessage(error), { bad: true }));
  return h("section", { class: "card" }, h("h2", {}, t("Restore standard texts")),
    h("p", { class: "muted" }, t("Replaces the prompt, note and footer in the form with those of a standard prompt.")), h("div", { class: "beside" }, select, insert));
}

start({
  list: { badge: standard, describe, isFixed: (row) => row.standard },
  form: {
    isFixed: (row) => (row.standard ? t("This is a standard prompt and cannot be changed. Save it as new to edit it.") : ""),
    aside: restore,
  },
});
