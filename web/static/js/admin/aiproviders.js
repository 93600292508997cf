// AI models page. Keys are never shown; a saved model can be tested in a role.

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { keyNote, keyWarning, lacksKey } from "./aiproviders/key.js";
import { start } from "./records/page.js";
import { modelTest } from "./records/test_panel.js";

/** A record has its roles in two fields, `tags` and `config.roles`; the form shows only the first. */
function formValues(row) {
  if (!row.config) return row;
  const { roles, ...config } = row.config;
  return { ...row, config, api_key: row.api_key_set ? "••••" : "" };
}

const badges = (row) => [
  row.active && lacksKey(row) && h("span", { class: "badge warn", title: keyWarning() }, t("no key")),
  " ",
  row.defaults?.length > 0 && h("span", { class: "badge", title: t("Roles for which it is the default") }, t("default for {roles}", { roles: row.defaults.join(", ") })),
];

start({
  list: { badge: badges },
  form: {
    formValues,
    aside: modelTest,
    under: { api_key: keyNote },
    savedMessage: (row) => (row.active && lacksKey(row) ? `${t("Saved.")} ${keyWarning()}` : ""),
  },
});
