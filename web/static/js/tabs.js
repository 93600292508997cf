// Tabs that scroll horizontally on a phone.

import { one } from "./dom.js";

/** Scrolls the tabs so that the current one is visible. The page itself does not scroll. */
export function scrollToCurrentTab(tabs) {
  const current = one("[aria-current], [aria-pressed=true]", tabs);
  if (current) tabs.scrollLeft = current.offsetLeft - (tabs.clientWidth - current.offsetWidth) / 2;
}
