// What the answer was made from, beside a filtered list. Only the end of its line changes, so that the list stays where it is.

import { send } from "../api.js";
import { one } from "../dom.js";
import { fragment } from "../fragment.js";

let current = null;

/** Offers another answer from the results of the filtered list; `filter` is empty without one. */
export async function updateBasis(slot, search, filter) {
  const basis = one(".basis", slot);
  current?.abort();
  if (!basis) return;
  one("[data-ask-filtered]", basis)?.remove();
  if (!filter) return;
  current = new AbortController();
  const { signal } = current;
  try {
    const response = await send("GET", `/search/${search}/answer/${location.search}`, undefined, { accept: "text/html", signal });
    const fresh = one(".basis", fragment(await response.text()));
    if (fresh && basis.isConnected && !signal.aborted) basis.replaceWith(fresh);
  } catch {
    // The answer stays without the offer.
  }
}
