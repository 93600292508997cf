// Schedules page.

import { h } from "../dom.js";
import { t, time } from "../i18n.js";
import { start } from "./records/page.js";

/** What each task does, by its name. */
const DESCRIPTIONS = {
  expire: () => t("Deletes searches whose retention has ended, and releases their space."),
  subscribe: () => t("Updates subscribed searches, so that their owners see new results."),
  sweep_bodies: () => t("Removes expired texts, and texts without a document, from the cache."),
  cleanup_stale_canonical_runs: () => t("Marks elections as stale after a month without a decision."),
  reconcile_tasks: () => t("Finds accepted work whose task was lost, and queues it again."),
};

const describe = (row) => DESCRIPTIONS[row.name]?.() ?? "";

const runs = (form) =>
  h("section", { class: "card" }, h("h2", {}, t("Runs")), h("p", {}, describe(form.row)),
    h("p", {}, t("Last run: {when}", { when: form.row.last_run ? time(form.row.last_run) : t("not yet") })),
    h("p", {}, t("Next run: {when}", { when: form.row.enabled ? time(form.row.next_run) : t("disabled") })));

start({ list: { describe }, form: { aside: runs } });
