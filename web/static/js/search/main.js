// The search page. No module here waits for translations.

import { startSearch, followSearch } from "./stream.js";
import { handleKeys } from "./keys.js";
import { handleLinks } from "./links.js";
import { announceList } from "./render.js";
import { initPicker, searchFields } from "./picker.js";
import { initSelection } from "./select.js";
import { one } from "../dom.js";

const form = one("#ask");
const page = one("#page");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const fields = searchFields(form);
  if (!fields.get("q")?.trim()) return;
  one("#pick").open = false;
  startSearch(fields);
});

initPicker(form);
handleLinks();
initSelection();
handleKeys();

if (page.dataset.running !== undefined) followSearch(page.dataset.search, location.search);
// Modules that listen for the list may not be loaded yet.
else if (page.dataset.search) addEventListener("load", () => announceList(true));
