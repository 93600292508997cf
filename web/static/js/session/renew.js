// Renews a session that has ended, so that the user can stay on the page.

import { all, one } from "../dom.js";
import { saveInput } from "../unsaved_input.js";
import { askPassword } from "./dialog.js";
import { readSession } from "./sign_in.js";

/** How many requests wait for the user at most. A page that refreshes by itself would collect them for ever. */
const WAITING_MAX = 20;

/** @type {Promise<boolean> | null} */
let renewal = null;
let waiting = 0;
let isDismissed = false;

/**
 * Waits until the user of this page has a session again, so that the request can be repeated. Returns false if the user
 * does not sign in. After that, only a change asks again, because pages also read by themselves.
 */
export async function renewSession(method) {
  if (waiting >= WAITING_MAX || (isDismissed && method === "GET")) return false;
  waiting += 1;
  try {
    renewal ??= renew().finally(() => (renewal = null));
    return await renewal;
  } finally {
    waiting -= 1;
  }
}

async function renew() {
  const user = one('meta[name="user"]')?.content ?? "";
  const now = await readSession();
  const session = now.user ? now : await askPassword(user, now);
  isDismissed = !session;
  if (!session) return false;
  if (session.user !== user) await reload();
  setToken(session.csrf);
  return true;
}

/** Somebody else has signed in: nothing of this page may continue in their name. The promise never resolves. */
function reload() {
  saveInput();
  location.reload();
  return new Promise(() => {});
}

/** Requests and forms of this page send the CSRF token of the new session. */
function setToken(csrf) {
  one('meta[name="csrf"]')?.setAttribute("content", csrf);
  for (const field of all('input[name="csrf_token"]')) field.value = csrf;
}
