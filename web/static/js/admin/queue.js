// How many elections wait for a decision, beside their link in the list of pages.

import { get } from "../api.js";
import { all } from "../dom.js";
import { number } from "../words.js";

const places = all("[data-open-runs]");
// Where it cannot be read the link says nothing more; what is wrong is said on its own page.
const { count } = places.length ? await get("/canonical/?status=open&items=1").catch(() => ({ count: 0 })) : { count: 0 };
for (const place of places) place.textContent = count ? number(count) : "";
