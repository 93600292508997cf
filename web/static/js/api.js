// API client with the session of this browser.

import { t } from "./i18n.js";

/** @type {(name: string) => string} */
const meta = (name) => /** @type {HTMLMetaElement} */ (document.querySelector(`meta[name="${name}"]`))?.content ?? "";

/** The prefix of the API, such as `/svc`. */
export const prefix = meta("api") || "/svc";

/** An error response of the API: `status`, `message` for users, `code` for programs, `errors` by field, and the whole `body`. */
export class ApiError extends Error {
  constructor(status, body) {
    super(body?.detail ?? `HTTP ${status}`);
    this.status = status;
    this.code = body?.code ?? "";
    this.errors = body?.errors ?? {};
    this.body = body ?? {};
  }
}

/** The ETag of each record that was loaded. */
const versions = new WeakMap();

/** @typedef {{ signal?: AbortSignal, accept?: string, record?: object }} RequestOptions */

/**
 * Sends a request to a path of the API, such as `/search/`. Returns the parsed JSON response.
 * @param {RequestOptions} [options]
 */
export async function call(method, path, body, options = {}) {
  const response = await send(method, prefix + path, body, options);
  if (response.status === 204) return null;
  const answer = await response.json();
  // A compressing proxy turns an ETag into a weak one, and `If-Match` never matches weak ETags.
  const version = response.headers.get("etag")?.replace(/^W\//, "").replace(/-(gzip|br|deflate|zstd)"$/, '"');
  if (version && answer !== null && typeof answer === "object") versions.set(answer, version);
  return answer;
}

/** @type {(path: string, options?: RequestOptions) => Promise<any>} */
export const get = (path, options) => call("GET", path, undefined, options);
export const post = (path, body) => call("POST", path, body);
/** With `record`, as it was loaded, the request fails with 412 if somebody else has changed the record since. */
export const put = (path, body, record) => call("PUT", path, body, { record });
export const patch = (path, body, record) => call("PATCH", path, body, { record });
export const del = (path, record) => call("DELETE", path, undefined, { record });

/**
 * Sends a request and returns the response. An error response is thrown as `ApiError`. Forms are sent as they are, other
 * bodies as JSON. If the session has ended, the user can sign in again on the page, and the request is repeated.
 * @type {(method: string, url: string, body?: any, options?: RequestOptions) => Promise<Response>}
 */
export async function send(method, url, body, options = {}) {
  try {
    return await sendOnce(method, url, body, options);
  } catch (error) {
    if (error.status !== 401 && error.code !== "csrf_failed") throw error;
    const { renewSession } = await import("./session/renew.js");
    if (await renewSession(method)) return sendOnce(method, url, body, options);
    error.message = t("Your session ended. Reload the page to sign in again.");
    throw error;
  }
}

/** @type {typeof send} */
async function sendOnce(method, url, body, { signal, accept = "application/json", record }) {
  // Sent with every method: by this header the service recognizes its pages, and never asks them for Basic credentials.
  const headers = { accept, "x-csrf-token": meta("csrf") };
  if (record && versions.has(record)) headers["if-match"] = versions.get(record);
  const isForm = body instanceof FormData || body instanceof URLSearchParams;
  if (body !== undefined && !isForm) headers["content-type"] = "application/json";
  const response = await fetch(url, {
    method,
    headers,
    body: body === undefined || isForm ? body : JSON.stringify(body),
    signal,
    credentials: "same-origin",
  }).catch(throwNetworkError);
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => null));
  return response;
}

/**
 * Replaces the error of a request without a response, because the messages of browsers are not meant for users.
 * @returns {never}
 */
function throwNetworkError(error) {
  if (error.name === "AbortError") throw error;
  throw new Error(t("The service did not respond. Check your connection and try again."), { cause: error });
}

/** Reads a stream of server-sent events: yields `{event, data}` with data as text. */
export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    for (let end; (end = rest.indexOf("\n\n")) >= 0; rest = rest.slice(end + 2)) {
      let event = "message";
      const data = [];
      for (const line of rest.slice(0, end).split("\n")) {
        if (line.startsWith("event:")) event = line.slice(6).trim();
        else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      }
      if (data.length) yield { event, data: data.join("\n") };
    }
  }
}
