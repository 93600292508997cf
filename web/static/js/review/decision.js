// Decision on an election: approve, or reject with a reason.

import { h, toast } from "../dom.js";
import { approve, scopeText, reject } from "../versions/actions.js";
import { askReason } from "../versions/reason.js";
import { t } from "../i18n.js";

const COMMENT_MAX = 2000;

/** The panel for the decision; `reload` loads the election again. */
export function decision(run, reload) {
  const winner = run.members.find((member) => member.signal_id === run.winner_signal_id);
  const title = winner?.title || run.winner?.title || t("Untitled");
  const comment = h("input", { type: "text", maxlength: COMMENT_MAX, id: "comment", autocomplete: "off" });
  const attempt = (action) => async ({ currentTarget: button }) => {
    if (button.ariaBusy) return;
    button.ariaBusy = "true";
    try {
      await action();
    } catch (error) {
      toast(error.message, { bad: true });
      // Somebody else has decided in the meantime; the page shows their decision.
      if (error.code === "already_decided") await reload();
    } finally {
      button.ariaBusy = null;
    }
  };
  const yes = attempt(async () => {
    if (!(await approve(run, comment.value.trim()))) return;
    toast(`${t("Pinned for “{query}”", { query: run.query })}, ${scopeText(run.scope)}`);
    await reload();
  });
  const no = attempt(async () => {
    const rejection = await askReason(title);
    if (!rejection) return;
    await reject(run.run_id, rejection);
    toast(t("Rejected. The next search holds a new election."));
    await reload();
  });
  return h("section", { class: "panel decide", "aria-labelledby": "decide-title" },
    h("h2", { id: "decide-title" }, t("Is this the right version?")),
    h("p", null, h("b", null, title), " ", winner?.version_label && h("span", { class: "badge quiet" }, winner.version_label)),
    h("p", { class: "muted" }, t("Approving pins it {where}: it ranks first for this query for everyone who can see it.", { where: scopeText(run.scope) })),
    h("div", { class: "field" }, h("label", { for: "comment" }, t("Comment")), comment),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "go", onclick: yes }, t("Approve")), h("button", { type: "button", class: "danger", onclick: no }, t("Reject …"))));
}
