// Schedules page.

import { h } from "../dom.js";
import { t, time } from "../i18n.js";
import { start } from "./records/page.js";

const runs = (form) =>
  h("section", { class: "card" }, h("h3", {}, t("Runs")),
    h("p", {}, t("Last run: {when}", { when: form.row.last_run ? time(form.row.last_run) : t("not yet") })),
    h("p", {}, t("Next run: {when}", { when: form.row.enabled ? time(form.row.next_run) : t("disabled") })));

start({ form: { aside: runs } });
