// Dialog that asks for the reason of a rejection.

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { reasons } from "./names.js";

/** Maximum length of a comment in the API. */
const COMMENT_MAX = 2000;

/** Asks for the reason. Resolves to `{reason, comment}`, or null if the user cancels. */
export function askReason(title) {
  return new Promise((resolve) => {
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    const reason = h("select", { name: "reason" }, Object.entries(reasons()).map(([value, name]) => h("option", { value }, name)));
    const comment = h("textarea", { name: "comment", rows: 3, maxlength: COMMENT_MAX });
    let answer = null;
    const form = h(
      "form",
      { class: "decision-form" },
      h("h2", { id: "reject-title" }, t("Reject this version?")),
      h("p", { class: "muted", id: "reject-sentence" }, t("“{title}” is unlikely to be selected for this query again.", { title })),
      h("label", null, t("Reason"), reason),
      h("label", null, t("Comment"), comment),
      h("div", { class: "buttons" }, h("button", { type: "button", class: "soft", onclick: () => dialog.close() }, t("Cancel")), h("button", { class: "danger solid" }, t("Reject"))),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      answer = { reason: reason.value, comment: comment.value.trim() };
      dialog.close();
    });
    const dialog = h("dialog", { class: "ask", "aria-labelledby": "reject-title", "aria-describedby": "reject-sentence" }, form);
    dialog.addEventListener("close", () => {
      dialog.remove();
      before?.focus?.();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
    reason.focus();
  });
}
