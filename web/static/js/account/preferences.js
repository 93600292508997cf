// Ranking preferences for sources and domains, in the API.

import { ApiError, get, put } from "../api.js";
import { t } from "../i18n.js";

/** In the order in which they are offered. */
export const PREFERENCES = {
  raise: { icon: "up", name: () => t("Raise") },
  lower: { icon: "down", name: () => t("Lower") },
  block: { icon: "block", name: () => t("Block") },
};

/** The list and the key of each kind of preference. */
const KINDS = { source: ["sources", "provider_id"], domain: ["domains", "domain"] };

export const readPreferences = () => get("/preferences/");

/** Attempts if another page of the same user changes the preferences at the same time. */
const ATTEMPTS_MAX = 5;

/** Sets the preference for one source or domain; null removes it. Returns all preferences. */
export async function setPreference(kind, key, preference) {
  const [list, name] = KINDS[kind];
  for (let attempt = 1; ; attempt += 1) {
    const all = await readPreferences();
    const others = all[list].filter((one) => one[name] !== key);
    try {
      return await put("/preferences/", { ...all, [list]: preference ? [...others, { [name]: key, wish: preference }] : others }, all);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412) || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

/** The domain of a host name or URL: `www.Example.org/path` becomes `example.org`. */
export function domainOf(text) {
  const bare = text.trim().toLowerCase();
  try {
    return new URL(bare.includes("://") ? bare : `https://${bare}`).hostname.replace(/^www\./, "");
  } catch {
    return bare;
  }
}
