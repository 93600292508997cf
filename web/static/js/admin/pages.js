// On every page of the console: the tabs of the section, the command palette, and the number of open elections.

import { get } from "../api.js";
import { all, one } from "../dom.js";
import { number } from "../i18n.js";
import { markHiddenTabs, scrollToCurrentTab } from "../tabs.js";

const tabs = one(".tabs");
if (tabs) {
  scrollToCurrentTab(tabs);
  markHiddenTabs(tabs);
}

/** The palette is loaded when it is opened for the first time. */
const togglePalette = async () => (await import("./palette/palette.js")).toggle();

if (/mac|iphone|ipad/i.test(navigator.platform)) for (const key of all("[data-palette] kbd")) key.textContent = "⌘K";
for (const button of all("[data-palette]")) button.addEventListener("click", togglePalette);
document.addEventListener("keydown", (event) => {
  const isShortcut = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
  if (!isShortcut) return;
  event.preventDefault();
  togglePalette();
});

const places = all("[data-open-runs]");
// If the number cannot be loaded, the link has none; the review page shows the error.
const { count } = places.length ? await get("/canonical/?status=open&items=1").catch(() => ({ count: 0 })) : { count: 0 };
for (const place of places) place.textContent = count ? number(count) : "";
