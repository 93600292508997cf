// One's own wishes about sources and domains, as the API keeps them.

import { Refused, get, put } from "../api.js";
import { t } from "../words.js";

/** In the order in which they are offered. */
export const WISHES = {
  raise: { drawing: "up", name: () => t("Raise") },
  lower: { drawing: "down", name: () => t("Lower") },
  block: { drawing: "block", name: () => t("Block") },
};

/** Where the two kinds stand, and by what a wish is known among its kind. */
const KINDS = { source: ["sources", "provider_id"], domain: ["domains", "domain"] };

export const read = () => get("/preferences/");

/** How often a wish is added again because another page of the same person was quicker. */
const ATTEMPTS_MAX = 5;

/** Sets the wish about one source or domain; null takes it away. Returns all wishes as they are now. */
export async function wish(kind, key, wanted) {
  const [list, name] = KINDS[kind];
  for (let attempt = 1; ; attempt += 1) {
    const all = await read();
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
