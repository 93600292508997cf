// Egress page. Each section is a module.

import { fill, h, one } from "../dom.js";
import * as events from "./events.js";
import * as scan from "./scan.js";

for (const [id, section] of Object.entries({ scan, events })) {
  const place = one(`#${id} .fill`);
  section
    .mount(place)
    .catch((error) => fill(place, h("p", { class: "alert", role: "alert" }, error.message)))
    .finally(() => place.removeAttribute("aria-busy"));
}
