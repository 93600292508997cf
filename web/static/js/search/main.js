// The search page. Searching needs nothing but this: no module waits for words or for another one.

import { ask, follow } from "./ask.js";
import { keys } from "./keys.js";
import { links } from "./links.js";
import { tell } from "./paint.js";
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
else if (page.dataset.search) addEventListener("load", () => tell(true));
