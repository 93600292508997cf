// SearchProviders page: latency, paused sources, pasted JSON, and tests.

import { get } from "../api.js";
import { h } from "../dom.js";
import { t } from "../i18n.js";
import { pausedBadge } from "./records/cells.js";
import { start } from "./records/page.js";
import { pasteJson } from "./records/paste.js";
import { sourceTest } from "./records/test_panel.js";

start({
  list: {
    states: async () => new Map((await get("/searchproviders/states/")).map((state) => [state.id, state])),
    badge: (row, state) => pausedBadge(state),
    tools: (reload) => [
      h("a", { class: "soft", href: "/admin/doctor/" }, t("Add a source")),
      h("button", { type: "button", class: "soft", onclick: () => pasteJson(reload) }, t("Paste JSON")),
    ],
  },
  form: {
    // A new record may begin with a ready-made source of the gallery.
    start: async () => {
      const slug = new URLSearchParams(location.search).get("ready");
      return slug ? get(`/readysources/${encodeURIComponent(slug)}/`) : {};
    },
    aside: sourceTest,
  },
});
