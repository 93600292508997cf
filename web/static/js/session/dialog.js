// The dialog in which the user of a page signs in again.

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { readSession, signIn } from "./sign_in.js";

/**
 * Asks for the user's password. Resolves to the new session, or to null if the dialog is closed.
 * @type {(user: string, session: import("./sign_in.js").Session) => Promise<import("./sign_in.js").Session | null>}
 */
export async function askPassword(user, { has_services }) {
  await loadStyles();
  return new Promise((resolve) => {
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    let session = null;
    const finish = (signedIn) => {
      session = signedIn;
      dialog.close();
    };
    // The user may have signed in with another tab.
    const check = async () => {
      const now = await readSession().catch(() => null);
      if (now?.user) finish(now);
    };
    const dialog = h("dialog", { class: "ask session-end", "aria-labelledby": "session-title", "aria-describedby": "session-text" },
      h("h2", { id: "session-title" }, t("Your session ended")),
      h("p", { id: "session-text", class: "muted" }, t("Sign in again as {user}. Nothing on this page is lost.", { user })),
      form(user, finish, () => dialog.close()),
      has_services && h("p", { class: "other" }, h("a", { href: "/login/", target: "_blank", rel: "noopener" }, t("Sign in another way (opens a new tab)"))));
    dialog.addEventListener("close", () => {
      window.removeEventListener("focus", check);
      dialog.remove();
      before?.focus?.();
      resolve(session);
    });
    window.addEventListener("focus", check);
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("#session-password").focus();
  });
}

function form(user, finish, close) {
  const password = h("input", { id: "session-password", type: "password", autocomplete: "current-password", required: true });
  const error = h("p", { class: "alert", role: "alert", hidden: true });
  const button = h("button", { class: "go" }, t("Continue"));
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    error.hidden = true;
    try {
      const session = await signIn(user, password.value);
      if (session.user) finish(session);
      else showError(session.error ?? "");
    } catch (failure) {
      showError(failure.message);
    }
    button.disabled = false;
  };
  const showError = (sentence) => {
    error.textContent = sentence;
    error.hidden = false;
    password.focus();
    password.select();
  };
  return h("form", { onsubmit: submit },
    // For password managers.
    h("input", { type: "text", autocomplete: "username", value: user, readonly: true, hidden: true }),
    h("label", { for: "session-password" }, t("Password")), password, error,
    h("div", { class: "buttons" }, h("button", { type: "button", class: "soft", onclick: close }, t("Not now")), button));
}

/** Loads the styles of the dialog, once. */
function loadStyles() {
  if (document.querySelector("link[data-session]")) return null;
  const link = h("link", { rel: "stylesheet", href: new URL("../../session.css", import.meta.url).href, "data-session": true });
  return new Promise((done) => {
    link.addEventListener("load", done);
    link.addEventListener("error", done);
    document.head.append(link);
  });
}
