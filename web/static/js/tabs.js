// Tabs that scroll horizontally on a phone.

import { one } from "./dom.js";

/** Scrolls so that the tab that is chosen can be seen. The page itself stays where it is. */
export function inSight(tabs) {
  const chosen = one("[aria-current], [aria-pressed=true]", tabs);
  if (chosen) tabs.scrollLeft = chosen.offsetLeft - (tabs.clientWidth - chosen.offsetWidth) / 2;
}
