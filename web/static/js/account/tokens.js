// API tokens: create, show once, revoke.

import { del, get, post } from "../api.js";
import { confirmAction } from "../confirm_dialog.js";
import { fill, h, toast } from "../dom.js";
import { day, t, time } from "../i18n.js";
import { copy } from "./copy.js";
import { field, form } from "./form.js";
import { loadUser } from "./me.js";

/** Administrators get the tokens of all users; at most this many pages are searched for their own. */
const PAGES_MAX = 10;
const ITEMS = 100;
const DAY_MS = 86_400_000;

export async function mount(place) {
  const list = h("div");
  const newToken = h("div", { "aria-live": "polite" });
  const fields = {
    label: field(t("Description"), { maxlength: 200, required: true, placeholder: t("Report script"), autocomplete: "off" }),
    expires: field(t("Expiration"), { options: [["30", t("30 days")], ["90", t("90 days")], ["365", t("one year")], ["", t("no expiration")]] }),
  };
  fields.expires.input.value = "90";
  const element = form(fields, t("Create token"), async () => {
    const days = Number(fields.expires.input.value);
    const expires = days ? new Date(Date.now() + days * DAY_MS).toISOString() : null;
    const created = await post("/tokens/", { label: fields.label.input.value.trim(), expires });
    fields.label.input.value = "";
    fill(newToken, newTokenNote(created, () => fill(newToken)));
    await draw(list);
  });
  element.classList.add("inline");
  await draw(list);
  fill(place, list, newToken, element);
}

function newTokenNote(created, done) {
  const text = h("code", { class: "secret", tabindex: 0 }, created.token);
  return h(
    "div",
    { class: "new-token" },
    h("p", null, h("b", null, t("Copy it now.")), " ", t("It cannot be shown again.")),
    text,
    h(
      "div",
      { class: "buttons" },
      h("button", { type: "button", class: "go", onclick: () => copy(created.token, t("Token copied")) }, t("Copy")),
      h("button", { type: "button", class: "soft", onclick: done }, t("Done")),
    ),
  );
}

async function loadOwnTokens() {
  const { username } = await loadUser();
  const found = [];
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const { results, next } = await get(`/tokens/?page=${page}&items=${ITEMS}`);
    found.push(...results.filter((token) => token.user === username));
    if (!next) break;
  }
  return found;
}

async function draw(list) {
  const tokens = await loadOwnTokens();
  if (!tokens.length) return fill(list, h("p", { class: "empty-state" }, t("No tokens yet.")));
  const all = h("button", { type: "button", class: "danger small", onclick: () => revokeAll(list) }, t("Revoke all tokens"));
  fill(list, h("ul", { class: "item-list" }, tokens.map((token) => line(token, list))), h("p", null, all));
}

async function revokeAll(list) {
  const sentence = t("All programs that use one of your tokens will lose access immediately.");
  if (!(await confirmAction({ title: t("Revoke all your tokens?"), sentence, yes: t("Revoke all tokens") }))) return;
  try {
    await del("/tokens/");
    toast(t("All your tokens were revoked"));
    await draw(list);
  } catch (error) {
    toast(error.message, { bad: true });
  }
}

function line(token, list) {
  const isExpired = token.expires && new Date(token.expires) < new Date();
  const about = [
    h("code", null, `${token.prefix}…`),
    token.last_used ? t("last used {when}", { when: time(token.last_used) }) : t("never used"),
    isExpired ? h("span", { class: "badge bad" }, t("expired")) : token.expires ? t("until {day}", { day: day(token.expires) }) : t("does not expire"),
  ];
  const revoke = async () => {
    const sentence = t("Programs that use “{label}” will lose access immediately.", { label: token.label });
    if (!(await confirmAction({ title: t("Revoke this token?"), sentence, yes: t("Revoke") }))) return;
    try {
      await del(`/tokens/${token.id}/`);
      toast(t("Token revoked"));
      await draw(list);
    } catch (error) {
      toast(error.message, { bad: true });
    }
  };
  const button = h("button", { type: "button", class: "soft small", "aria-label": t("Revoke {label}", { label: token.label }), onclick: revoke }, t("Revoke"));
  return h("li", null, h("div", null, h("b", null, token.label || t("Unnamed")), h("p", { class: "meta num" }, about.map((one) => h("span", null, one)))), button);
}
