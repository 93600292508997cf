// Console navigation: scrolls to the current page and shows the number of open elections.

import { get } from "../api.js";
import { all, one } from "../dom.js";
import { number } from "../i18n.js";

// The list may be longer than the window.
const nav = one(".side > .nav");
const open = one("[aria-current]", nav);
if (open.offsetTop + open.offsetHeight > nav.clientHeight) nav.scrollTop = open.offsetTop - nav.clientHeight / 2;

const places = all("[data-open-runs]");
// If the number cannot be loaded, the link has none; the review page shows the error.
const { count } = places.length ? await get("/canonical/?status=open&items=1").catch(() => ({ count: 0 })) : { count: 0 };
for (const place of places) place.textContent = count ? number(count) : "";
