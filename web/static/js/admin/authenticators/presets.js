// Presets of well-known identity providers: issuer, scopes and claims.

import { get } from "../../api.js";
import { fill, h, toast } from "../../dom.js";
import { t } from "../../i18n.js";

const SCOPES = "openid email profile offline_access";

/** `ask` is what the user enters, and `issuer` makes the issuer of it; without `ask` every user has the same issuer. */
const PRESETS = [
  { name: "Microsoft Entra ID", idp: "entra", ask: () => t("Tenant ID"), example: "00000000-0000-0000-0000-000000000000", issuer: (tenant) => `https://login.microsoftonline.com/${tenant}/v2.0`, scopes: SCOPES, groups_claim: "groups" },
  { name: "Google", idp: "google", issuer: () => "https://accounts.google.com", scopes: "openid email profile", initiate_auth_code_flow_params: { access_type: "offline", prompt: "consent" } },
  { name: "Okta", idp: "okta", ask: () => t("Okta domain"), example: "company.okta.com", issuer: (host) => `https://${host}`, scopes: `${SCOPES} groups`, groups_claim: "groups" },
  { name: "Keycloak", idp: "keycloak", ask: () => t("URL of the realm"), example: "login.example.org/realms/company", issuer: (realm) => `https://${realm}`, scopes: SCOPES, groups_claim: "groups" },
  { name: "Auth0", idp: "auth0", ask: () => t("Auth0 domain"), example: "company.eu.auth0.com", issuer: (host) => `https://${host}/`, scopes: SCOPES },
  { name: "GitLab", idp: "gitlab", ask: () => t("GitLab domain"), example: "gitlab.com", issuer: (host) => `https://${host}`, scopes: "openid email profile", groups_claim: "groups_direct" },
];

/** Fills the form of a new authenticator. */
export function presetPicker(form) {
  if (!form.isNew) return null;
  const select = h("select", { id: "preset" }, h("option", { value: "" }, t("Choose…")), PRESETS.map((preset, place) => h("option", { value: place }, preset.name)));
  const answer = h("input", { type: "text", id: "preset-answer", autocomplete: "off", spellcheck: "false", maxlength: 300 });
  const label = h("label", { for: "preset-answer" });
  const question = h("div", { class: "beside", hidden: true }, label, answer);
  const button = h("button", { type: "button", class: "soft", disabled: true, onclick: () => apply() }, t("Fill in"));
  const chosen = () => PRESETS[Number(select.value)];
  select.addEventListener("change", () => {
    const preset = select.value === "" ? null : chosen();
    button.disabled = !preset;
    question.hidden = !preset?.ask;
    answer.value = "";
    answer.placeholder = preset?.example ?? "";
    fill(label, preset?.ask?.() ?? "");
  });
  answer.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    apply();
  });

  async function apply() {
    const preset = chosen();
    const text = trimUrl(answer.value);
    if (preset.ask && !text) return answer.focus();
    const { name, idp, ask: _, example: __, issuer, ...values } = preset;
    const all = { groups_claim: "", initiate_auth_code_flow_params: {}, ...values, name, idp: await freeIdp(idp), issuer: issuer(text), sign_in: true };
    for (const [field, value] of Object.entries(all)) form.fields.get(field).write(value);
    toast(t("Filled in. Enter the client ID and secret, then create it."));
    form.fields.get("client_id").focus();
  }
  return h("div", { class: "preset" }, h("div", { class: "beside" }, h("label", { for: "preset" }, t("Preset")), select), question, button);
}

/** The part of a pasted address that a preset needs. */
const trimUrl = (text) => text.trim().replace(/^https?:\/\//i, "").replace(/\/+$/, "");

/** An identifier that no other authenticator has. */
async function freeIdp(idp) {
  const rows = await get("/authenticators/").catch(() => []);
  const isTaken = (name) => rows.some((row) => row.idp === name);
  if (!isTaken(idp)) return idp;
  const numbers = Array.from({ length: rows.length + 1 }, (_, place) => `${idp}-${place + 2}`);
  return numbers.find((name) => !isTaken(name));
}
