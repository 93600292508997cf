// Adds sources from pasted JSON, with errors by record.

import { ApiError, get, post } from "../../api.js";
import { fill, h } from "../../dom.js";
import { t, tn } from "../../i18n.js";
import { errorMessage } from "../components.js";
import { fields, resource, pageOf } from "./resource.js";

/** Fields of an exported record that the service sets itself. */
const OWN = ["id", "owner", "date_created", "date_updated", "capability", "url_self"];

/** Opens the dialog; `reload` is called after something was created. */
export function pasteJson(reload) {
  const box = h("textarea", { id: "paste", rows: "14", class: "code", spellcheck: "false", placeholder: '[{"name": "…", "connector": "RequestsGet", "url": "https://…"}]' });
  const output = h("div", { class: "paste-output", "aria-live": "polite" });
  const create = h("button", { class: "go" }, t("Create"));
  const dialog = h("dialog", { class: "paste", "aria-labelledby": "paste-title" },
    h("h2", { id: "paste-title" }, t("Paste JSON")),
    h("p", { class: "muted" }, t("A source or a list of sources. You become the owner.")),
    h("form", { onsubmit: (event) => {
      event.preventDefault();
      run(box.value);
    } }, h("label", { for: "paste", class: "visually-hidden" }, t("Sources as JSON")), box, output,
    h("div", { class: "buttons" }, h("button", { type: "button", class: "soft", onclick: () => dialog.close() }, t("Close")), create)));

  async function run(text) {
    const read = parseRecords(text);
    if (read.error) return fill(output, h("p", { class: "field-error" }, read.error));
    await send(read.list, read.remarks);
  }

  /** Creates all or none; `rest` stays in the text box to be corrected. */
  async function send(list, remarks, rest = []) {
    create.disabled = true;
    try {
      const created = await post(resource.api, list);
      box.value = rest.length ? JSON.stringify(rest, null, 2) : "";
      fill(output, h("p", {}, tn("One source was created.", "{n} sources were created.", created.length)),
        h("ul", {}, created.map((row) => h("li", {}, h("a", { href: pageOf(row.id) }, row.name)))), notes(remarks));
      reload();
    } catch (error) {
      fill(output, errorDetails(error, list, await errorsByRecord(error, list)), notes(remarks));
    }
    create.disabled = false;
  }

  function errorDetails(error, list, errors) {
    if (!errors.size) return h("p", { class: "field-error" }, errorMessage(error));
    const good = list.filter((_, place) => !errors.has(place));
    const bad = list.filter((_, place) => errors.has(place));
    return [h("p", { class: "field-error" }, t("Nothing has been created yet.")),
      h("ul", { class: "error-list" }, [...errors].map(([place, lines]) => h("li", {}, h("b", {}, list[place]?.name || t("Record {n}", { n: place + 1 })), h("ul", {}, lines.map((line) => h("li", {}, line)))))),
      good.length > 0 && h("button", { type: "button", class: "soft", onclick: () => send(good, [], bad) }, tn("Create the valid one", "Create the {n} valid ones", good.length))];
  }

  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  box.focus();
}

/** Parses records, without fields that cannot be imported, and remarks about those fields. */
export function parseRecords(text) {
  let parsed;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { error: t("This is not valid JSON: {why}", { why: error.message }) };
  }
  const entries = Array.isArray(parsed) ? parsed : [parsed];
  if (!entries.length) return { error: t("The list is empty.") };
  const known = new Set(fields.map((field) => field.name));
  const remarks = [];
  const list = entries.map((one, place) => {
    if (one === null || typeof one !== "object" || Array.isArray(one)) return one;
    const name = one.name || t("Record {n}", { n: place + 1 });
    const unknown = Object.keys(one).filter((key) => !known.has(key) && !OWN.includes(key));
    if (unknown.length) remarks.push(t("{what}: unknown fields were ignored: {fields}", { what: name, fields: unknown.join(", ") }));
    if (one.owner) remarks.push(t("{what}: the owner {owner} was not imported; you are the owner.", { what: name, owner: one.owner }));
    return Object.fromEntries(Object.entries(one).filter(([key]) => known.has(key)));
  });
  return { list, remarks };
}

/** Errors by the index of the record. The error about a name that is taken has no index, so the name is searched for. */
async function errorsByRecord(error, list) {
  if (!(error instanceof ApiError)) return new Map();
  if (error.status !== 409) return groupByRecord(error.errors);
  const names = new Set((await get(resource.api).catch(() => [])).map((row) => row.name));
  const errors = new Map();
  for (const [place, one] of list.entries()) {
    if (names.has(one.name)) errors.set(place, [error.message]);
    names.add(one.name);
  }
  return errors;
}

/** Errors with paths such as `2.connector`, by the index of the record. */
function groupByRecord(errors) {
  const found = new Map();
  for (const [path, sentences] of Object.entries(errors)) {
    const [, place, field] = path.match(/^(\d+)\.(.*)$/) ?? [];
    if (place === undefined) continue;
    const lines = found.get(Number(place)) ?? [];
    found.set(Number(place), [...lines, ...sentences.map((line) => `${field}: ${line}`)]);
  }
  return found;
}

const notes = (remarks) => remarks.length > 0 && h("ul", { class: "remarks muted" }, remarks.map((one) => h("li", {}, one)));
