// The search page. No module here waits for translations.

import { ask, follow } from "./ask.js";
import { keys } from "./keys.js";
import { links } from "./links.js";
import { announceList } from "./render.js";
import { picker, wanted } from "./picker.js";
import { selection } from "./select.js";
import { one } from "../dom.js";

const form = one("#ask");
const page = one("#page");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const fields = wanted(form);
  if (!fields.get("q")?.trim()) return;
  one("#pick").open = false;
  ask(fields);
});

picker(form);
links();
selection();
keys();

if (page.dataset.running !== undefined) follow(page.dataset.search, location.search);
// Those who want to know of the list may still be on their way.
else if (page.dataset.search) addEventListener("load", () => announceList(true));
