// Curator actions on the search page: pin, unpin, reject.

import { one, toast } from "../dom.js";
import { showListAt } from "../search/links.js";
import { t } from "../i18n.js";
import { scopeText, pin, reject, unpin } from "./actions.js";
import { askReason } from "./reason.js";

export async function decide(button, result) {
  const { signal, query, scope, run } = one(".cached", result).dataset;
  if (button.matches("[data-pin]")) {
    if (!(await pin(Number(button.dataset.pin || signal), { query, scope }))) return;
    toast(`${t("Pinned for “{query}”", { query })}, ${scopeText(scope)}`);
  } else if (button.matches("[data-unpin]")) {
    await unpin(Number(signal), query);
    toast(t("Unpinned for “{query}”", { query }));
  } else {
    const rejection = await askReason(one("h2", result).textContent.trim());
    if (!rejection) return;
    await reject(run, rejection);
    toast(t("Rejected. The next search holds a new election."));
  }
  await reloadList(result.dataset.key);
}

/** Reloads the list. A result that has the focus or open details would not be updated, so both are reset first. */
async function reloadList(key) {
  const [opened, place] = [one(`[data-key="${key}"]`), scrollY];
  /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
  for (const fold of opened?.querySelectorAll("details[open]") ?? []) fold.open = false;
  await showListAt(location.href, { isBack: true });
  scrollTo({ top: place });
  one(`[data-key="${key}"]`)?.focus({ preventScroll: true });
}
