// Actions on a cached document: save a copy, check it at its source, remove it.

import { post } from "../api.js";
import { confirmAction } from "../confirm_dialog.js";
import { t } from "../i18n.js";

/** Saves a copy of a result, and waits a while for it. Returns the response of the API. */
export const saveCopy = (search, result) => post("/ingest/", { search_id: search, swirl_id: result, wait: true });

/** Saves a copy of the web page at a URL, and waits a while for it. Returns the response of the API. */
export const saveUrl = (url) => post("/ingest/", { url, wait: true });

/** Checks whether the source still has the document. */
export const checkLiveness = (signal) => post("/cache/check_liveness/", { signal_id: signal });

/** The result of a check as a sentence. */
export function livenessText({ verdict: word }) {
  if (word === "alive") return t("Last checked just now");
  if (word === "gone") return t("No longer at the source");
  return t("The source did not give a clear answer");
}

/**
 * Removes a copy after a confirmation, and a pinned one after a second one. `isForAll`: an administrator removes it for all
 * users. Returns whether it was removed.
 */
export async function removeCopy(signal, title, isForAll) {
  const sentence = isForAll
    ? t("“{title}” will be removed from the cache for everyone. The original document is not affected.", { title })
    : t("Your copy of “{title}” will be removed from the cache. The original document is not affected.", { title });
  if (!(await confirmAction({ title: t("Remove the copy?"), sentence, yes: t("Remove") }))) return false;
  try {
    await post("/cache/unindex/", { signal_id: signal });
  } catch (error) {
    if (error.status !== 409) throw error;
    const pinned = t("It is pinned for a query. Removing it also removes its pins.");
    if (!(await confirmAction({ title: t("Remove a pinned document?"), sentence: pinned, yes: t("Remove") }))) return false;
    await post("/cache/unindex/", { signal_id: signal, force: true });
  }
  return true;
}
