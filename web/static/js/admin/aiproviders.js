// AIProviders: the key is never shown, and a model is tried with the role that it should serve.

import { h } from "../dom.js";
import { t } from "../words.js";
import { start } from "./records/page.js";
import { modelTrial } from "./records/trial.js";

/** The roles stand in two places of a record; the form shows them once, as picks. */
function stored(row) {
  if (!row.config) return row;
  const { roles, ...config } = row.config;
  return { ...row, config, api_key: row.api_key_set ? "••••" : "" };
}

const defaults = (row) =>
  row.defaults?.length ? h("span", { class: "badge", title: t("Roles that it serves before others") }, t("first for {roles}", { roles: row.defaults.join(", ") })) : null;

start({ list: { badge: defaults }, form: { stored, aside: modelTrial } });
