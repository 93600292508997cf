// Table of audit entries.

import { h } from "../../dom.js";
import { t, time } from "../../i18n.js";
import { table } from "../components.js";
import { action, actor, kind } from "./names.js";

/** Pages of the console by kind of record. */
const PAGES = { searchprovider: "searchproviders", aiprovider: "aiproviders", prompt: "prompts", querytransform: "querytransforms", pipeline: "pipelines", schedule: "schedules", user: "users", group: "groups", authenticator: "authenticators" };

export const actionsTable = (entries, empty) => table(t("Changes"), [
  { title: t("When"), kind: "nowrap", cell: (entry) => h("time", { datetime: entry.time }, time(entry.time)) },
  { title: t("Who"), cell: (entry) => actor(entry.actor) },
  { title: t("What"), cell: (entry) => h("span", { class: "entry" }, action(entry.action), " ", h("span", { class: "muted" }, kind(entry.kind)), " ", record(entry)) },
  { title: t("Changes"), cell: changes },
], entries, empty, { isStacked: true });

function record(entry) {
  const page = entry.action === "deleted" ? null : PAGES[entry.kind];
  const name = entry.record_name || (entry.record_id ?? "");
  return page && entry.record_id ? h("a", { href: `/admin/${page}/${entry.record_id}/` }, String(name)) : h("b", {}, String(name));
}

function changes(entry) {
  const fields = Object.entries(entry.changes ?? {});
  if (!fields.length) return h("span", { class: "faint" }, "–");
  const lines = fields.map(([name, change]) => h("li", {}, h("code", {}, name), ": ", formatValue(change?.from), " → ", formatValue(change?.to)));
  if (fields.length === 1) return h("ul", { class: "changes" }, lines);
  return h("details", {}, h("summary", {}, fields.map(([name]) => name).slice(0, 4).join(", "), fields.length > 4 && ", …"), h("ul", { class: "changes" }, lines));
}

function formatValue(value) {
  if (value === null || value === undefined || value === "") return h("i", { class: "faint" }, t("empty"));
  return typeof value === "string" ? value : JSON.stringify(value);
}
