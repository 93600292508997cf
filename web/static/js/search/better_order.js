// Offers the list in the better order that the second reader has found. The list on the page never changes by itself.

import { send } from "../api.js";
import { announce, one } from "../dom.js";

const page = one("#page");
const offer = one("#better-order");
let current = null;

/** Asks for a better order of the list on the page, once the list is complete, and offers it if there is one. */
export async function offerBetterOrder(isFinal) {
  current?.abort();
  offer.hidden = true;
  // Results that wait behind their own button come first, and a list in the better order has no other.
  if (!isFinal || !one("#better").hidden || one("#head [data-better-order]")) return;
  const stop = new AbortController();
  current = stop;
  const { search } = page.dataset;
  try {
    const response = await send("GET", `/search/${search}/better/${location.search}`, undefined, { signal: stop.signal });
    const { href } = await response.json();
    if (!href || stop.signal.aborted || page.dataset.search !== search) return;
    offer.href = href;
    offer.hidden = false;
    announce(offer.textContent);
  } catch {
    // The list is complete without it.
  }
}
