// Tokens page: all tokens, revoked with one button; a new one is shown once.

import { del } from "../api.js";
import { confirmAction } from "../confirm_dialog.js";
import { fill, h, toast } from "../dom.js";
import { t } from "../i18n.js";
import { errorMessage, work } from "./components.js";
import { listPage, nameOf } from "./records/resource.js";
import { start } from "./records/page.js";

const revoke = (row, reload) =>
  h("button", { type: "button", class: "danger small", "aria-label": t("Revoke {what} of {user}", { what: nameOf(row), user: row.user }), onclick: async () => {
    const isConfirmed = await confirmAction({ title: t("Revoke {what}?", { what: nameOf(row) }), sentence: t("Programs that use it lose access immediately. This cannot be undone."), yes: t("Revoke") });
    if (!isConfirmed) return;
    try {
      await del(`/tokens/${row.id}/`);
      toast(t("{what} was revoked.", { what: nameOf(row) }));
      reload();
    } catch (error) {
      toast(errorMessage(error), { bad: true });
    }
  } }, t("Revoke"));

/** Shows a new token, which is possible only once. */
function created(row) {
  const box = h("input", { type: "text", class: "code", readonly: true, value: row.token, "aria-label": t("New token") });
  const copy = h("button", { type: "button", class: "go", onclick: async () => {
    box.select();
    await navigator.clipboard?.writeText(row.token).then(() => toast(t("Copied.")), () => {});
  } }, t("Copy"));
  fill(work(), h("section", { class: "card" }, h("h2", {}, t("Token created")),
    h("p", {}, t("Copy it now. It cannot be shown again.")), h("div", { class: "beside" }, box, copy),
    h("p", { class: "muted" }, t("Programs send it in this header:"), " ", h("code", {}, "Authorization: Token …")),
    h("p", {}, h("a", { href: listPage }, t("Back to tokens")))));
  box.focus();
  box.select();
}

start({ list: { actions: revoke }, form: { created } });
