// Schedules: how often, and whether at all.

import { h } from "../dom.js";
import { t, time } from "../words.js";
import { start } from "./records/page.js";

const runs = (form) =>
  h("section", { class: "card" }, h("h3", {}, t("Runs")),
    h("p", {}, t("Last: {when}", { when: form.row.last_run ? time(form.row.last_run) : t("not yet") })),
    h("p", {}, t("Next: {when}", { when: form.row.enabled ? time(form.row.next_run) : t("not while it is switched off") })));

start({ form: { aside: runs } });
