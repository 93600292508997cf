// On every page: theme and language, closing of menus, and input restored after sign-in.

import { all, one } from "./dom.js";
import { restoreInput } from "./unsaved_input.js";

const YEAR_S = 365 * 24 * 3600;

for (const choice of all("[data-choose]")) {
  choice.addEventListener("change", () => {
    const name = choice.dataset.choose;
    for (const other of all(`[data-choose="${name}"]`)) other.value = choice.value;
    document.cookie = `${name}=${choice.value}; path=/; max-age=${YEAR_S}; samesite=lax`;
    if (name === "language") location.reload();
    else if (choice.value) document.documentElement.dataset.theme = choice.value;
    else delete document.documentElement.dataset.theme;
  });
}

// A menu closes on Escape, and when something else is clicked or focused.
const close = (target) => {
  for (const menu of all("details.menu[open]")) if (!menu.contains(target)) menu.open = false;
};
document.addEventListener("click", (event) => close(event.target));
document.addEventListener("focusin", (event) => close(event.target));
document.addEventListener("keydown", (event) => {
  const menu = one("details.menu[open]");
  if (event.key === "Escape" && menu) {
    menu.open = false;
    one("summary", menu).focus();
  }
});

restoreInput();
