// Ranking preferences for sources and domains, in the API.

import { Refused, get, put } from "../api.js";
import { t } from "../i18n.js";

/** In the order in which they are offered. */
export const PREFERENCES = {
  raise: { drawing: "up", name: () => t("Raise") },
  lower: { drawing: "down", name: () => t("Lower") },
  block: { drawing: "block", name: () => t("Block") },
};

/** The list and the key of each kind of preference. */
const KINDS = { source: ["sources", "provider_id"], domain: ["domains", "domain"] };

export const readPreferences = () => get("/preferences/");

/** Attempts if another page of the same user changes the preferences at the same time. */
const ATTEMPTS_MAX = 5;

/** Sets the preference for one source or domain; null removes it. Returns all preferences. */
export async function setPreference(kind, key, wanted) {
  const [list, name] = KINDS[kind];
  for (let attempt = 1; ; attempt += 1) {
    const all = await readPreferences();
    const others = all[list].filter((one) => one[name] !== key);
    try {
      return await put("/preferences/", { ...all, [list]: wanted ? [...others, { [name]: key, wish: wanted }] : others }, all);
    } catch (error) {
      if (!(error instanceof Refused && error.status === 412) || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

/** `www.Example.org/path` or a whole address, as the domain alone. */
export function domainOf(text) {
  const bare = text.trim().toLowerCase();
  try {
    return new URL(bare.includes("://") ? bare : `https://${bare}`).hostname.replace(/^www\./, "");
  } catch {
    return bare;
  }
}
