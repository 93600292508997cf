// Translated names of the audit log. The API uses the untranslated ones.

import { t } from "../../i18n.js";

const ACTIONS = {
  created: t("created"),
  replaced: t("replaced"),
  changed: t("changed"),
  deleted: t("deleted"),
  reset: t("reset"),
  refused: t("refused"),
  "backed up": t("backed up"),
  tested: t("tested"),
  rekeyed: t("rekeyed"),
  restored: t("restored"),
};

const KINDS = {
  searchprovider: t("source"),
  aiprovider: t("AI model"),
  prompt: t("prompt"),
  querytransform: t("query transform"),
  pipeline: t("pipeline"),
  authenticator: t("authenticator"),
  schedule: t("schedule"),
  user: t("user"),
  group: t("group"),
  token: t("token"),
  connection: t("connection"),
  "sign-in": t("sign-in"),
  branding: t("branding"),
  database: t("database"),
};

/** `[name in the API, translated name]`. */
export const actions = Object.entries(ACTIONS);
export const kinds = Object.entries(KINDS);

export const action = (word) => ACTIONS[word] ?? word;
export const kind = (word) => KINDS[word] ?? word;
/** Entries of commands and of the scheduler have no user name. */
export const actor = (name) => ({ "command line": t("command line"), "the scheduler": t("the scheduler") })[name] ?? name;
