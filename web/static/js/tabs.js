// Tabs that scroll horizontally on a phone.

import { one } from "./dom.js";

/** Marks the tabs while there are more of them at the right than fit. */
export function markHiddenTabs(tabs) {
  const mark = () => tabs.classList.toggle("has-more", tabs.scrollLeft + tabs.clientWidth < tabs.scrollWidth - 1);
  tabs.addEventListener("scroll", mark, { passive: true });
  new ResizeObserver(mark).observe(tabs);
}

/** Scrolls the tabs so that the current one is visible. The page itself does not scroll. */
export function scrollToCurrentTab(tabs) {
  const current = one("[aria-current], [aria-pressed=true]", tabs);
  if (current) tabs.scrollLeft = current.offsetLeft - (tabs.clientWidth - current.offsetWidth) / 2;
}
