// Decisions of curators: pin a document for a query, approve or reject a version.

import { post } from "../api.js";
import { ask } from "../ask.js";
import { t } from "../i18n.js";

/** Pins a document for a query. True when it is pinned; false when another one keeps its place. */
export function pin(signal, { query, scope }) {
  return unlessTaken((force) => post("/canonical/pin-for-query/", { signal_id: signal, query, scope, ...force }), query);
}

/** Takes the pin of a document for this query back. Returns how many there were. */
export const unpin = async (signal, query) => (await post(`/canonical/${signal}/unpin/`, { query })).removed;

/** The winner of an election is right. Null when another document keeps its place; else the election. */
export const approve = (run, comment) => unlessTaken((force) => post(`/canonical/${run.run_id}/approve/`, { comment, ...force }), run.query);

/** The winner of an election is wrong. Returns the election. */
export const reject = (run, { reason, comment }) => post(`/canonical/${run}/reject/`, { reason, comment });

/** Where it holds, as a sentence. */
export function holds(scope) {
  return !scope || scope === "firm" ? t("everywhere") : t("in the matter {matter}", { matter: scope.replace(/^matter:/, "") });
}

/** Does it; where another document has the place, only when that is wanted. */
async function unlessTaken(deed, query) {
  try {
    return (await deed({})) || true;
  } catch (error) {
    if (error.status !== 409 || error.code !== "pin_exists") throw error;
    if (!(await ask(taken(query, error.body.existing_pin)))) return null;
    return (await deed({ force: true })) || true;
  }
}

function taken(query, existing) {
  const by = existing?.pinned_by;
  const title = existing?.title;
  const first = title ? t("“{title}” is pinned for “{query}”.", { title, query }) : t("Another document is pinned for “{query}”.", { query });
  const who = by ? ` ${t("It was pinned by {user}.", { user: by })}` : "";
  return { title: t("Replace the pin?"), sentence: `${first}${who} ${t("This one will replace it for everyone.")}`, yes: t("Replace") };
}
