// Ranking preferences for the source and the domain of a result, created when its details are opened.

import { get } from "../api.js";
import { all, h, one, toast } from "../dom.js";
import { icon } from "../icon.js";
import { t } from "../i18n.js";
import { PREFERENCES, domainOf, readPreferences, setPreference } from "./preferences.js";

const SENTENCES = {
  raise: (name) => t("{name} will rank higher in your next search", { name }),
  lower: (name) => t("{name} will rank lower in your next search", { name }),
  block: (name) => t("{name} is now blocked. You can undo this on your account page.", { name }),
};

/** Ids of the sources by name, and the preferences; requested once. */
let pending;
const loadPreferences = () => (pending ??= Promise.all([get("/searchproviders/"), readPreferences()]).then(([sources, preferences]) => ({ ids: new Map(sources.map((one) => [one.name, one.id])), preferences })));

/** Adds the buttons to the details of a result, once. */
export async function addPreferences(details) {
  if (one(".rank-preference", details)) return;
  const place = h("div", { class: "rank-preference" });
  details.append(place);
  try {
    place.append(...preferenceGroups(details.closest(".result"), await loadPreferences()));
  } catch {
    pending = undefined;
    place.remove();
  }
}

function preferenceGroups(result, { ids, preferences }) {
  const name = one(".source", result)?.textContent.trim();
  const address = one("h2 a[href]", result)?.href;
  const domain = address && domainOf(address);
  const groups = [];
  if (ids.has(name)) groups.push(group(name, "source", ids.get(name), preferences.sources.find((one) => one.provider_id === ids.get(name))));
  if (domain) groups.push(group(domain, "domain", domain, preferences.domains.find((one) => one.domain === domain)));
  return groups;
}

function group(name, kind, key, now) {
  const button = ([word, { icon: iconName, name: label }]) =>
    h("button", { type: "button", class: "soft small with-icon", "aria-pressed": String(now?.wish === word), onclick: (event) => togglePreference(event.currentTarget, kind, key, word, name) }, icon(iconName), label());
  return h("div", { class: "buttons", role: "group", "aria-label": t("Preference for {name}", { name }) }, h("span", { class: "muted" }, name), Object.entries(PREFERENCES).map(button));
}

/** Sets the preference, or removes it if it was set. */
async function togglePreference(button, kind, key, word, name) {
  const preference = button.getAttribute("aria-pressed") === "true" ? null : word;
  try {
    const preferences = await setPreference(kind, key, preference);
    pending = pending.then(({ ids }) => ({ ids, preferences }));
    for (const other of all("button", button.parentElement)) other.setAttribute("aria-pressed", String(preference !== null && other === button));
    toast(preference ? SENTENCES[preference](name) : t("Preference for {name} removed", { name }));
    document.dispatchEvent(new CustomEvent("tributary:preference", { detail: { kind, key, preference } }));
  } catch (error) {
    toast(error.message, { bad: true });
  }
}
