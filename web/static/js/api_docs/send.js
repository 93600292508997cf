// Sends the request of the form and reads its response, up to a limit.

import { get } from "../api.js";
import { t } from "../i18n.js";

/** More of a response is not read. */
export const SHOWN_BYTES_MAX = 300_000;
const TEXT = /^text\/|[/+](json|xml|javascript)\b|^$/;
const UNAUTHORIZED = 401;

/** @type {(name: string) => string} */
const meta = (name) => /** @type {HTMLMetaElement} */ (document.querySelector(`meta[name="${name}"]`))?.content ?? "";

/**
 * Sends a request with the session of this browser, as the other pages do, and shows the response as it arrives.
 * @param {import("./operations.js").Operation} operation
 * @param {import("./request.js").RequestParts} request
 * @param {AbortSignal} signal
 * @param {ReturnType<typeof import("./response_view.js").responseView>} view
 */
export async function send(operation, request, signal, view) {
  view.begin();
  const started = performance.now();
  try {
    let response = await sendOnce(request, signal);
    if (response.status === UNAUTHORIZED && operation.security.length && (await hasSession())) response = await sendOnce(request, signal);
    view.showHead(response, performance.now() - started);
    const found = await readText(response, (text) => view.showPart(text));
    view.showBody(response, found, performance.now() - started);
  } catch (error) {
    if (error.name === "AbortError") view.stop();
    else view.fail(error instanceof TypeError ? t("The service did not respond. Check your connection and try again.") : error.message);
  }
}

const sendOnce = ({ method, url, headers, body }, signal) =>
  fetch(url, { method, headers: { ...headers, "x-csrf-token": meta("csrf") }, body, signal, credentials: "same-origin" });

/** If the session has ended, the user is asked to sign in again. */
const hasSession = () => get("/users/me/").then(() => true, () => false);

/** The text of a response; `isCut` if it is longer than the limit. `text` is null if it is not text. */
async function readText(response, onPart) {
  const type = response.headers.get("content-type") ?? "";
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  const isText = TEXT.test(type.split(";")[0]);
  const isStream = type.startsWith("text/event-stream");
  let text = "";
  let size = 0;
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) return { text: isText ? text : null, size, isCut: false };
    size += value.length;
    if (isText) text += decoder.decode(value, { stream: true });
    if (isStream) onPart(text);
    if (isText && size > SHOWN_BYTES_MAX) {
      await reader.cancel();
      return { text: text.slice(0, SHOWN_BYTES_MAX), size, isCut: true };
    }
  }
}
