// Page of an election: versions side by side, differences, decision.

import { get } from "../api.js";
import { announce, fill, h, one, toast } from "../dom.js";
import { scopeText, pin } from "../versions/actions.js";
import { isOpen, reasons, status } from "../versions/names.js";
import { number, t, time, tn } from "../i18n.js";
import { decision } from "./decision.js";
import { difference } from "./difference.js";
import { versionsTable } from "./versions_table.js";

const main = one("#main");
const work = one("#work");
const id = main.dataset.run;
const isCurator = main.dataset.curator !== undefined;

load().catch(showError);

async function load() {
  draw(await get(`/canonical/${id}/`));
}

function showError(error) {
  const sentence = error.status === 404 ? t("Election not found, or you do not have access.") : error.message;
  fill(work, h("p", { class: "alert", role: "alert" }, sentence));
}

function draw(run) {
  fill(
    work,
    head(run),
    run.may_decide && isOpen(run) && decision(run, reload),
    h("section", null,
      h("h2", null, t("Versions side by side")),
      h("p", { class: "muted" }, t("Each factor is between 0 and 1 and is multiplied by its weight. The sum is the score; the highest score wins.")),
      versionsTable(run, isCurator && pinVersion),
      run.hidden_members > 0 && h("p", { class: "note" }, tn("One version that you cannot access is hidden.", "{n} versions that you cannot access are hidden.", run.hidden_members))),
    run.members.length > 1 && difference(run.members),
  );

  /** Pins a version instead of the selected one. */
  async function pinVersion(member) {
    if (!(await pin(member.signal_id, run))) return;
    toast(`${t("Pinned for “{query}”", { query: run.query })}, ${scopeText(run.scope)}`);
    await reload();
  }
}

/** Loads the election again after a decision. */
async function reload() {
  await load();
  const [, words] = status(one("#state")?.dataset.status);
  announce(words);
  main.focus();
}

function head(run) {
  const [kind, words] = status(run.status);
  const fact = (name, value) => value && [h("dt", null, name), h("dd", null, value)];
  const { relevance_min: least, relevance_ratio: share } = run.gates;
  return h("section", { class: "run-head", "aria-label": t("Election details") },
    h("p", { class: "line" }, h("b", { class: "query" }, run.query), h("span", { id: "state", class: `badge ${kind}`, "data-status": run.status }, words)),
    h("dl", { class: "facts num" },
      fact(t("Scope"), scopeText(run.scope)),
      fact(t("Date"), time(run.created_at)),
      fact(t("Margin"), run.margin > 0 ? number(run.margin) : t("no other eligible version")),
      fact(t("Thresholds"), t("confidence at least {least} and {share}% of the best", { least: number(least), share: number(Math.round(share * 100)) })),
      fact(t("Decided"), run.decided_at && [time(run.decided_at), run.decided_by && h("span", { class: "muted" }, t("by {user}", { user: run.decided_by }))]),
      fact(t("Reason"), run.reject_reason && (reasons()[run.reject_reason] ?? run.reject_reason)),
      fact(t("Comment"), run.comment)));
}
