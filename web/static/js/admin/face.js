// The initials of a source in the console, in the color that it has on the search page.

import { h } from "../dom.js";
import { initials } from "../initials.js";

const COLORS = 8;

/** `number` decides about the color: the id of a source. */
export const face = (name, number) => h("span", { class: `face c${number % COLORS}`, "aria-hidden": "true" }, initials(name));
