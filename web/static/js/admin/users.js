// Users page: permissions, passwords, lockouts.

import { del, get } from "../api.js";
import { ask } from "../ask.js";
import { h, toast } from "../dom.js";
import { t } from "../i18n.js";
import { sentence } from "./parts.js";
import { start } from "./records/page.js";
import { span } from "./records/prose.js";

/** Who is locked out, with a way to let them in again. Nothing when nobody is. */
async function lockouts(again, only) {
  const rows = (await get("/lockouts/")).filter((row) => only === undefined || row.username === only);
  if (!rows.length) return null;
  return h("section", { class: "card lockouts" }, h("h2", {}, t("Locked out after too many failed sign-ins")),
    h("ul", {}, rows.map((row) => h("li", {},
      h("span", {}, h("b", {}, row.username || t("unknown names")), " ", row.address && h("code", {}, row.address), " ", h("span", { class: "muted" }, t("{time} left", { time: span(row.seconds) }))),
      h("button", { type: "button", class: "soft", onclick: (event) => open(event, row) }, t("Unlock"))))));

  async function open(event, row) {
    try {
      await del(row.username ? `/lockouts/${encodeURIComponent(row.username)}/` : "/lockouts/");
      const card = event.target.closest("section");
      event.target.closest("li").remove();
      if (!card.querySelector("li")) card.remove();
      toast(t("Sign-in unlocked."));
      again?.();
    } catch (error) {
      toast(sentence(error), { bad: true });
    }
  }
}

/** The same for one person. */
function lockoutOf(form) {
  const place = h("div", {});
  lockouts(null, form.row.username).then((found) => found && place.append(found), () => {});
  return place;
}

/** Shuts out all programs of one person at once. */
function tokensOf({ row }) {
  const user = row.username;
  const revoke = async () => {
    const about = t("Programs that use one of them lose access immediately. This cannot be undone.");
    if (!(await ask({ title: t("Revoke all tokens of {user}?", { user }), sentence: about, yes: t("Revoke all tokens") }))) return;
    try {
      await del(`/tokens/?user=${row.id}`);
      toast(t("All tokens of {user} were revoked.", { user }));
    } catch (error) {
      toast(sentence(error), { bad: true });
    }
  };
  return h("section", { class: "card" }, h("h2", {}, t("API tokens")),
    h("p", {}, h("button", { type: "button", class: "danger small", onclick: revoke }, t("Revoke all tokens"))));
}

/** What stands beside one person's form. */
const beside = (form) => !form.isNew && h("div", {}, lockoutOf(form), tokensOf(form));

start({
  list: { above: (again) => lockouts(again) },
  form: { stored: (row) => ({ ...row, password: row.id ? "••••••••" : "" }), aside: beside },
});
