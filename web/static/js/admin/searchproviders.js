// Sources page: latency, failing and paused sources, pasted JSON, tests, and the editor of the mappings.

import { get } from "../api.js";
import { h } from "../dom.js";
import { t } from "../i18n.js";
import { mappingEditor } from "./doctor/editor.js";
import { face } from "./face.js";
import { start } from "./records/page.js";
import { pasteJson } from "./records/paste.js";
import { sourceTest } from "./records/test_panel.js";
import { healthBadges } from "./sources_health.js";

start({
  list: {
    states: async () => new Map((await get("/searchproviders/states/")).map((state) => [state.id, state])),
    mark: (row) => face(row.name, row.id),
    badge: (row, state) => healthBadges(state),
    create: () => h("a", { class: "go", href: "/admin/doctor/" }, t("Add a source")),
    tools: (reload) => [
      h("a", { class: "soft", href: "/admin/searchproviders/new/" }, t("Expert form")),
      h("button", { type: "button", class: "soft", onclick: () => pasteJson(reload) }, t("Paste JSON")),
    ],
  },
  form: {
    // A new record may begin with a ready-made source of the gallery.
    start: async () => {
      const slug = new URLSearchParams(location.search).get("ready");
      return slug ? get(`/readysources/${encodeURIComponent(slug)}/`) : {};
    },
    top: { Response: mappingEditor },
    aside: sourceTest,
  },
});
