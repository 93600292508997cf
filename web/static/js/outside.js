// Addresses that came from sources. Only http and https become links, and only without a name before the host, behind
// which the real host hides; anything else stays text.

import { h } from "./dom.js";

/** A link to another site, or its words alone when the address is none that a browser should open. */
export function outside(address, ...children) {
  const url = parsed(address);
  const isSafe = url && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  if (!isSafe) return h("span", null, ...children);
  return h("a", { href: address, rel: "noopener noreferrer" }, ...children);
}

function parsed(address) {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}
