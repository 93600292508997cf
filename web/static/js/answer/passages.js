// Tooltip with the passage of a citation, on hover and on focus. It can be hovered itself; Escape closes it.

import { all } from "../dom.js";
import { place } from "./place.js";

const LINGER_MS = 180;

/** Watches all citations within `root`, also those that come later. */
export function passages(root) {
  let timer = 0;
  const passageOf = (target) => {
    const cite = target.closest?.("a[data-cite]");
    const passage = cite && document.getElementById(cite.getAttribute("aria-describedby"));
    return passage ? { cite, passage } : null;
  };
  const hide = () => {
    clearTimeout(timer);
    for (const open of all(".passage:not([hidden])", root)) open.hidden = true;
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(hide, LINGER_MS);
  };
  const show = (event) => {
    if (event.target.closest?.(".passage")) return clearTimeout(timer);
    const found = passageOf(event.target);
    if (!found) return;
    hide();
    float(found.cite, found.passage);
  };
  root.addEventListener("mouseover", show);
  root.addEventListener("focusin", show);
  root.addEventListener("mouseout", (event) => event.target.closest?.("a[data-cite], .passage") && later());
  root.addEventListener("focusout", later);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
}

function float(cite, passage) {
  passage.hidden = false;
  const box = passage.closest(".passages").parentElement;
  const lines = cite.getClientRects();
  const { left, top } = place(lines[0], box.getBoundingClientRect(), passage.getBoundingClientRect(), innerHeight);
  passage.style.left = `${left}px`;
  passage.style.top = `${top}px`;
}
