// Actions on a cached document: save a copy, check it at its source, remove it.

import { post } from "../api.js";
import { ask } from "../ask.js";
import { t } from "../i18n.js";

/** Asks for a copy of a result, and waits a while for it. Returns the answer of the API. */
export const keep = (search, result) => post("/ingest/", { search_id: search, swirl_id: result, wait: true });

/** The same for the page at an address. */
export const keepAddress = (url) => post("/ingest/", { url, wait: true });

/** Asks the source whether the document is still there. */
export const check = (signal) => post("/cache/check_liveness/", { signal_id: signal });

/** What the source said, as a sentence. */
export function verdict({ verdict: word }) {
  if (word === "alive") return t("Last checked just now");
  if (word === "gone") return t("No longer at the source");
  return t("The source gave no clear answer");
}

/** True when it is removed; by an administrator for all. One that is pinned is removed only when that is said once more. */
export async function forget(signal, title, isForAll) {
  const sentence = isForAll
    ? t("“{title}” will be removed from the cache for everyone. The original document is not affected.", { title })
    : t("Your copy of “{title}” will be removed from the cache. The original document is not affected.", { title });
  if (!(await ask({ title: t("Remove the copy?"), sentence, yes: t("Remove") }))) return false;
  try {
    await post("/cache/unindex/", { signal_id: signal });
  } catch (error) {
    if (error.status !== 409) throw error;
    const pinned = t("It is pinned for a query. Removing it also removes its pins.");
    if (!(await ask({ title: t("Remove a pinned document?"), sentence: pinned, yes: t("Remove") }))) return false;
    await post("/cache/unindex/", { signal_id: signal, force: true });
  }
  return true;
}
