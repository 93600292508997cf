// Authenticators page: presets of well-known services. Shows whether the user is connected, never a token.

import { h } from "../dom.js";
import { t, time } from "../i18n.js";
import { presetPicker } from "./authenticators/presets.js";
import { start } from "./records/page.js";

function connection(form) {
  if (form.isNew) return null;
  const { connected, account, expires_at: end } = form.row;
  const message = connected ? t("Your account is connected.") : t("You are not connected to this service. Users connect on their account page.");
  return h("section", { class: "card" }, h("h2", {}, t("Connection")), h("p", {}, message),
    account && h("p", { class: "muted" }, account), connected && end && h("p", { class: "faint" }, t("The token expires on {when}.", { when: time(end) })));
}

start({ form: { top: { Service: presetPicker }, aside: connection } });
