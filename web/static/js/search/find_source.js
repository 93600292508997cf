// Search box in a long list of sources. It hides the others; a folded part opens.

import { all, one } from "../dom.js";

export function findSource(box) {
  const text = box.value.trim().toLowerCase();
  const place = box.closest("section, .pick-sheet");
  for (const line of all(".src, .pick-list label", place)) line.hidden = !one(".name", line).textContent.toLowerCase().includes(text);
  for (const group of all("fieldset", place)) group.hidden = one("label:not([hidden])", group) === null;
  const folded = one("details", place);
  if (!folded) return;
  folded.open = text !== "" && one(".src:not([hidden])", folded) !== null;
}
