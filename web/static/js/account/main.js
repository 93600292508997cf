// The account page: each section is a module of its own, and one that fails does not take the others with it.

import { fill, h, one } from "../dom.js";
import * as connections from "./connections.js";
import * as documents from "./documents.js";
import * as password from "./password.js";
import * as profile from "./profile.js";
import * as tokens from "./tokens.js";
import * as wishes from "./wishes.js";

for (const [id, section] of Object.entries({ profile, password, connections, documents, wishes, tokens })) {
  const place = one(`#${id} .fill`);
  section
    .mount(place)
    .catch((error) => fill(place, h("p", { class: "alert", role: "alert" }, error.message)))
    .finally(() => place.removeAttribute("aria-busy"));
}
