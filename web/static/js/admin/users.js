// Users page: permissions, passwords, lockouts.

import { del, get } from "../api.js";
import { confirmAction } from "../confirm_dialog.js";
import { h, toast } from "../dom.js";
import { t } from "../i18n.js";
import { errorMessage } from "./components.js";
import { start } from "./records/page.js";
import { formatDuration } from "./records/format.js";

/** The locked-out users, each with a button to unlock them, or null. */
async function lockouts(reload, only) {
  const rows = (await get("/lockouts/")).filter((row) => only === undefined || row.username === only);
  if (!rows.length) return null;
  return h("section", { class: "card lockouts" }, h("h2", {}, t("Locked out after too many failed sign-ins")),
    h("ul", {}, rows.map((row) => h("li", {},
      h("span", {}, h("b", {}, row.username || t("unknown names")), " ", row.address && h("code", {}, row.address), " ", h("span", { class: "muted" }, t("{time} left", { time: formatDuration(row.seconds) }))),
      h("button", { type: "button", class: "soft", onclick: (event) => unlock(event, row) }, t("Unlock"))))));

  async function unlock(event, row) {
    try {
      await del(row.username ? `/lockouts/${encodeURIComponent(row.username)}/` : "/lockouts/");
      const card = event.target.closest("section");
      event.target.closest("li").remove();
      if (!card.querySelector("li")) card.remove();
      toast(t("Sign-in unlocked."));
      reload?.();
    } catch (error) {
      toast(errorMessage(error), { bad: true });
    }
  }
}

/** The lockout of one user. */
function lockoutCard(form) {
  const place = h("div", {});
  lockouts(null, form.row.username).then((found) => found && place.append(found), () => {});
  return place;
}

/** Revokes all API tokens of a user. */
function tokensCard({ row }) {
  const user = row.username;
  const revoke = async () => {
    const about = t("Programs that use one of them lose access immediately. This cannot be undone.");
    if (!(await confirmAction({ title: t("Revoke all tokens of {user}?", { user }), sentence: about, yes: t("Revoke all tokens") }))) return;
    try {
      await del(`/tokens/?user=${row.id}`);
      toast(t("All tokens of {user} were revoked.", { user }));
    } catch (error) {
      toast(errorMessage(error), { bad: true });
    }
  };
  return h("section", { class: "card" }, h("h2", {}, t("API tokens")),
    h("p", {}, h("button", { type: "button", class: "danger small", onclick: revoke }, t("Revoke all tokens"))));
}

/** The content beside the form of a user. */
const beside = (form) => !form.isNew && h("div", {}, lockoutCard(form), tokensCard(form));

start({
  list: { above: (reload) => lockouts(reload) },
  form: { formValues: (row) => ({ ...row, password: row.id ? "••••••••" : "" }), aside: beside },
});
