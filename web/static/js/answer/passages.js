// Tooltip with the passage of a citation, on hover and on focus. It can be hovered itself; Escape closes it.

import { all } from "../dom.js";
import { cardPosition } from "./card_position.js";

const HIDE_DELAY_MS = 180;

/** Shows the passages of all citations within `root`, also of those that are added later. */
export function showPassages(root) {
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
  const hideLater = () => {
    clearTimeout(timer);
    timer = setTimeout(hide, HIDE_DELAY_MS);
  };
  const show = (event) => {
    if (event.target.closest?.(".passage")) return clearTimeout(timer);
    const found = passageOf(event.target);
    if (!found) return;
    hide();
    position(found.cite, found.passage);
  };
  root.addEventListener("mouseover", show);
  root.addEventListener("focusin", show);
  root.addEventListener("mouseout", (event) => event.target.closest?.("a[data-cite], .passage") && hideLater());
  root.addEventListener("focusout", hideLater);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
}

function position(cite, passage) {
  passage.hidden = false;
  const box = passage.closest(".passages").parentElement;
  const lines = cite.getClientRects();
  const { left, top } = cardPosition(lines[0], box.getBoundingClientRect(), passage.getBoundingClientRect(), innerHeight);
  passage.style.left = `${left}px`;
  passage.style.top = `${top}px`;
}
