// Curator actions on the search page: pin, unpin, reject.

import { one, toast } from "../dom.js";
import { go } from "../search/links.js";
import { t } from "../i18n.js";
import { holds, pin, reject, unpin } from "./actions.js";
import { askReason } from "./reason.js";

export async function decide(button, result) {
  const { signal, query, scope, run } = one(".cached", result).dataset;
  if (button.matches("[data-pin]")) {
    if (!(await pin(Number(button.dataset.pin || signal), { query, scope }))) return;
    toast(`${t("Pinned for “{query}”", { query })}, ${holds(scope)}`);
  } else if (button.matches("[data-unpin]")) {
    await unpin(Number(signal), query);
    toast(t("Unpinned for “{query}”", { query }));
  } else {
    const said = await askReason(one("h2", result).textContent.trim());
    if (!said) return;
    await reject(run, said);
    toast(t("Rejected. The next search holds a new election."));
  }
  await again(result.dataset.key);
}

/** The list as it stands now. What is in use would be kept as it is, so it is let go before. */
async function again(key) {
  const [opened, place] = [one(`[data-key="${key}"]`), scrollY];
  /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
  for (const fold of opened?.querySelectorAll("details[open]") ?? []) fold.open = false;
  await go(location.href, { isBack: true });
  scrollTo({ top: place });
  one(`[data-key="${key}"]`)?.focus({ preventScroll: true });
}
