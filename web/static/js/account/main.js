// Account page. Each section is a module; a section that fails does not affect the others.

import { fill, h, one } from "../dom.js";
import * as connections from "./connections.js";
import * as documents from "./documents.js";
import * as password from "./password.js";
import * as ranking from "./preferences_page.js";
import * as profile from "./profile.js";
import * as tokens from "./tokens.js";

for (const [id, section] of Object.entries({ profile, password, connections, documents, ranking, tokens })) {
  const place = one(`#${id} .fill`);
  section
    .mount(place)
    .catch((error) => fill(place, h("p", { class: "alert", role: "alert" }, error.message)))
    .finally(() => place.removeAttribute("aria-busy"));
}
