// Reads the session of this browser, and signs in.

import { t } from "../i18n.js";

const STATE = "/login/?format=json";

/**
 * The session of this browser: `user` is empty if nobody is signed in, `error` says why the credentials were refused.
 * @typedef {{ user: string, csrf: string, form_csrf: string, error: string | null, has_services: boolean }} Session
 */

/** @type {() => Promise<Session>} */
export const readSession = () => request(STATE);

/** Signs in. The response of a success leads to the new session. */
export async function signIn(username, password) {
  // Always with a new token: the sign-in page in another tab replaces the cookie that belongs to it.
  const { form_csrf } = await readSession();
  const body = new URLSearchParams({ csrf_token: form_csrf, username, password, next: STATE, format: "json" });
  return request("/login/", { method: "POST", body });
}

/** @returns {Promise<Session>} */
async function request(url, options = {}) {
  const response = await fetch(url, { credentials: "same-origin", ...options }).catch(() => null);
  const session = await response?.json().catch(() => null);
  if (!session) throw new Error(t("The service did not respond. Check your connection and try again."));
  return session;
}
