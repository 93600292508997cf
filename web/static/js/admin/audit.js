// Audit log: filtered and paged entries, and verification of the chain.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { number, t } from "../i18n.js";
import { actions, kinds } from "./audit/names.js";
import { actionsTable } from "./audit/table.js";
import { errorAlert, loadInto, work } from "./components.js";

const ITEMS = 50;

const choice = (label, options) => h("label", {}, label, h("select", {}, h("option", { value: "" }, t("all")), options.map(([value, name]) => h("option", { value }, name))));
const text = (label) => h("label", { class: "some" }, label, h("input", { type: "search", maxlength: 200, autocomplete: "off" }));
const kind = choice(t("Type"), kinds);
const action = choice(t("Action"), actions);
const actor = text(t("Who"));
const record = text(t("Record"));
const since = h("label", {}, t("From"), h("input", { type: "date" }));
const until = h("label", {}, t("To"), h("input", { type: "date" }));
const verify = h("button", { type: "button", class: "soft", onclick: check }, t("Verify"));
const verdict = h("div", { "aria-live": "polite" });
const list = h("div");
const tools = h("form", { class: "tools", "aria-label": t("Filter"), onsubmit: (event) => { event.preventDefault(); load(1); } },
  kind, action, actor, record, since, until, h("button", { class: "soft" }, t("Filter")));
tools.addEventListener("change", () => load(1));
fill(work(), h("div", { class: "lead-row" }, h("p", { class: "lead muted" }, t("Every change made by a user or a command. The entries are chained, so any later edit or removal is detected.")), verify), tools, verdict, list);
load(1);

function load(page) {
  const query = new URLSearchParams({ page: String(page), items: String(ITEMS) });
  const value = (label) => label.querySelector("input, select").value.trim();
  for (const [name, label] of [["kind", kind], ["action", action], ["actor", actor], ["record", record]]) if (value(label)) query.set(name, value(label));
  if (value(since)) query.set("since", `${value(since)}T00:00:00Z`);
  if (value(until)) query.set("until", `${value(until)}T23:59:59Z`);
  return loadInto(list, `/audit/?${query}`, (found) => [actionsTable(found.results, t("No matching changes.")), pager(found, page)]);
}

function pager(found, page) {
  const pages = Math.max(1, Math.ceil(found.count / ITEMS));
  return h("nav", { class: "pager", "aria-label": t("Pages") },
    h("button", { type: "button", class: "soft", disabled: page <= 1, onclick: () => load(page - 1) }, t("Newer")),
    h("span", { class: "muted num" }, t("Page {page} of {pages}, {n} entries", { page: number(page), pages: number(pages), n: number(found.count) })),
    h("button", { type: "button", class: "soft", disabled: page >= pages, onclick: () => load(page + 1) }, t("Older")));
}

async function check() {
  verify.disabled = true;
  fill(verdict, h("p", { class: "muted" }, t("Verifying the log…")));
  try {
    const report = await get("/audit/verify/");
    fill(verdict, h("p", { class: report.ok ? "note good" : "alert", role: report.ok ? null : "alert" }, h("b", {}, report.ok ? t("The log is intact.") : t("The log was changed.")), " ", report.detail));
  } catch (error) {
    fill(verdict, errorAlert(error, check));
  } finally {
    verify.disabled = false;
  }
}
