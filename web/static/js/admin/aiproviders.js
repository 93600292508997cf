// AIProviders page. Keys are never shown; a saved model can be tested in a role.

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { start } from "./records/page.js";
import { modelTest } from "./records/test_panel.js";

/** A record has its roles in two fields, `tags` and `config.roles`; the form shows only the first. */
function formValues(row) {
  if (!row.config) return row;
  const { roles, ...config } = row.config;
  return { ...row, config, api_key: row.api_key_set ? "••••" : "" };
}

const defaults = (row) =>
  row.defaults?.length ? h("span", { class: "badge", title: t("Roles for which it is the default") }, t("default for {roles}", { roles: row.defaults.join(", ") })) : null;

start({ list: { badge: defaults }, form: { formValues, aside: modelTest } });
