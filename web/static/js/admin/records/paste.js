// Adds SearchProviders from pasted JSON, with errors by record.

import { Refused, get, post } from "../../api.js";
import { fill, h } from "../../dom.js";
import { t, tn } from "../../i18n.js";
import { sentence } from "../parts.js";
import { fields, resource, pageOf } from "./resource.js";

/** What a record that was exported holds besides; it is made anew. */
const OWN = ["id", "owner", "date_created", "date_updated", "capability", "url_self"];

/** Opens the dialog; `again` is called when something was created. */
export function pasteJson(again) {
  const box = h("textarea", { id: "paste", rows: "14", class: "code", spellcheck: "false", placeholder: '[{"name": "…", "connector": "RequestsGet", "url": "https://…"}]' });
  const said = h("div", { class: "paste-said", "aria-live": "polite" });
  const create = h("button", { class: "go" }, t("Create"));
  const dialog = h("dialog", { class: "paste", "aria-labelledby": "paste-title" },
    h("h2", { id: "paste-title" }, t("Paste JSON")),
    h("p", { class: "muted" }, t("A SearchProvider or a list of SearchProviders. You become the owner.")),
    h("form", { onsubmit: (event) => {
      event.preventDefault();
      run(box.value);
    } }, h("label", { for: "paste", class: "unseen" }, t("SearchProviders as JSON")), box, said,
    h("div", { class: "buttons" }, h("button", { type: "button", class: "soft", onclick: () => dialog.close() }, t("Close")), create)));

  async function run(text) {
    const read = records(text);
    if (read.mistake) return fill(said, h("p", { class: "mistake" }, read.mistake));
    await send(read.list, read.remarks);
  }

  /** Creates all or none; `rest` stays in the box to be mended. */
  async function send(list, remarks, rest = []) {
    create.disabled = true;
    try {
      const made = await post(resource.api, list);
      box.value = rest.length ? JSON.stringify(rest, null, 2) : "";
      fill(said, h("p", {}, tn("One SearchProvider was created.", "{n} SearchProviders were created.", made.length)),
        h("ul", {}, made.map((row) => h("li", {}, h("a", { href: pageOf(row.id) }, row.name)))), notes(remarks));
      again();
    } catch (error) {
      fill(said, refused(error, list, await wrongsOf(error, list)), notes(remarks));
    }
    create.disabled = false;
  }

  function refused(error, list, wrongs) {
    if (!wrongs.size) return h("p", { class: "mistake" }, sentence(error));
    const good = list.filter((_, place) => !wrongs.has(place));
    const bad = list.filter((_, place) => wrongs.has(place));
    return [h("p", { class: "mistake" }, t("Nothing was created yet.")),
      h("ul", { class: "mistakes" }, [...wrongs].map(([place, lines]) => h("li", {}, h("b", {}, list[place]?.name || t("Record {n}", { n: place + 1 })), h("ul", {}, lines.map((line) => h("li", {}, line)))))),
      good.length > 0 && h("button", { type: "button", class: "soft", onclick: () => send(good, [], bad) }, tn("Create the valid one", "Create the {n} valid ones", good.length))];
  }

  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  box.focus();
}

/** The records of a text, without what cannot be taken over, and remarks about that. */
export function records(text) {
  let parsed;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { mistake: t("This is not valid JSON: {why}", { why: error.message }) };
  }
  const given = Array.isArray(parsed) ? parsed : [parsed];
  if (!given.length) return { mistake: t("The list is empty.") };
  const known = new Set(fields.map((field) => field.name));
  const remarks = [];
  const list = given.map((one, place) => {
    if (one === null || typeof one !== "object" || Array.isArray(one)) return one;
    const name = one.name || t("Record {n}", { n: place + 1 });
    const unknown = Object.keys(one).filter((key) => !known.has(key) && !OWN.includes(key));
    if (unknown.length) remarks.push(t("{what}: unknown fields were ignored: {fields}", { what: name, fields: unknown.join(", ") }));
    if (one.owner) remarks.push(t("{what}: the owner {owner} was not imported; you are the owner.", { what: name, owner: one.owner }));
    return Object.fromEntries(Object.entries(one).filter(([key]) => known.has(key)));
  });
  return { list, remarks };
}

/** What is wrong, by the place of the record. A name that is taken is not named by its place, so it is looked for. */
async function wrongsOf(error, list) {
  if (!(error instanceof Refused)) return new Map();
  if (error.status !== 409) return byRecord(error.errors);
  const seen = new Set((await get(resource.api).catch(() => [])).map((row) => row.name));
  const wrongs = new Map();
  for (const [place, one] of list.entries()) {
    if (seen.has(one.name)) wrongs.set(place, [error.message]);
    seen.add(one.name);
  }
  return wrongs;
}

/** Errors such as `2.connector` by the place of the record. */
function byRecord(errors) {
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
