// Links to URLs from sources. Only http and https URLs without a user name become links; a user name could disguise
// the host.

import { h } from "./dom.js";

/** A link to another site, or plain text if the URL is not safe to open. */
export function externalLink(address, ...children) {
  const url = parseUrl(address);
  const isSafe = url && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  if (!isSafe) return h("span", null, ...children);
  return h("a", { href: address, rel: "noopener noreferrer" }, ...children);
}

function parseUrl(address) {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}
