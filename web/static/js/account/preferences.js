// One's own wishes about sources and domains, as the API keeps them.

import { get, put } from "../api.js";
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

/** Sets the wish about one source or domain; null takes it away. Returns all wishes as they are now. */
export async function wish(kind, key, wanted) {
  const [list, name] = KINDS[kind];
  const all = await read();
  const others = all[list].filter((one) => one[name] !== key);
  return put("/preferences/", { ...all, [list]: wanted ? [...others, { [name]: key, wish: wanted }] : others });
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
