// Addresses that came from sources. Only http and https become links; anything else stays text.

import { h } from "./dom.js";

/** A link to another site, or its words alone when the address is none that a browser should open. */
export function outside(address, ...children) {
  const isSafe = /^https?:$/.test(URL.parse?.(address)?.protocol ?? parsed(address));
  if (!isSafe) return h("span", null, ...children);
  return h("a", { href: address, rel: "noopener noreferrer" }, ...children);
}

function parsed(address) {
  try {
    return new URL(address).protocol;
  } catch {
    return "";
  }
}
