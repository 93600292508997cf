// Confirmation dialog.

import { h } from "./dom.js";
import { t } from "./i18n.js";

/** Asks the user to confirm an action. Escape, Cancel and closing mean no. `yes` is the label of the button. */
export function confirmAction({ title, sentence, yes }) {
  return new Promise((resolve) => {
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    const cancel = h("button", { type: "button", class: "soft", onclick: () => dialog.close() }, t("Cancel"));
    const agree = h("button", { type: "button", class: "danger solid", onclick: () => dialog.close("yes") }, yes);
    const dialog = h(
      "dialog",
      { class: "ask", "aria-labelledby": "ask-title", "aria-describedby": "ask-sentence" },
      h("h2", { id: "ask-title" }, title),
      h("p", { id: "ask-sentence", class: "muted" }, sentence),
      h("div", { class: "buttons" }, cancel, agree),
    );
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      before?.focus?.();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
    cancel.focus();
  });
}
