// Decisions of curators: pin a document for a query, approve or reject a version.

import { post } from "../api.js";
import { confirmAction } from "../confirm_dialog.js";
import { t } from "../i18n.js";

/** Pins a document for a query. Returns null if the user keeps the pin of another document. */
export function pin(signal, { query, scope }) {
  return confirmPinReplacement((force) => post("/canonical/pin-for-query/", { signal_id: signal, query, scope, ...force }), query);
}

/** Removes the pins of a document for a query. Returns how many there were. */
export const unpin = async (signal, query) => (await post(`/canonical/${signal}/unpin/`, { query })).removed;

/** Approves the winner of an election. Returns the election, or null if the user keeps the pin of another document. */
export const approve = (run, comment) => confirmPinReplacement((force) => post(`/canonical/${run.run_id}/approve/`, { comment, ...force }), run.query);

/** Rejects the winner of an election. Returns the election. */
export const reject = (run, { reason, comment }) => post(`/canonical/${run}/reject/`, { reason, comment });

/** The scope of a pin as text. */
export function scopeText(scope) {
  return !scope || scope === "firm" ? t("everywhere") : t("in the matter {matter}", { matter: scope.replace(/^matter:/, "") });
}

/** Sends a request. If another document is pinned, the user is asked before its pin is replaced. */
async function confirmPinReplacement(request, query) {
  try {
    return (await request({})) || true;
  } catch (error) {
    if (error.status !== 409 || error.code !== "pin_exists") throw error;
    if (!(await confirmAction(replaceQuestion(query, error.body.existing_pin)))) return null;
    return (await request({ force: true })) || true;
  }
}

function replaceQuestion(query, existing) {
  const by = existing?.pinned_by;
  const title = existing?.title;
  const first = title ? t("“{title}” is pinned for “{query}”.", { title, query }) : t("Another document is pinned for “{query}”.", { query });
  const who = by ? ` ${t("It was pinned by {user}.", { user: by })}` : "";
  return { title: t("Replace the pin?"), sentence: `${first}${who} ${t("This one will replace it for everyone.")}`, yes: t("Replace") };
}
