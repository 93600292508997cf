// When polling a scan is retried, and when it stops.

/** Time between two requests for the status. */
export const POLL_MS = 1000;
/** Consecutive requests that may fail; together they wait for about half a minute. */
export const FAILURES_MAX = 5;

const TOO_MANY_REQUESTS = 429;

/**
 * Milliseconds until the next attempt, or null if there is none. `failures` includes this one. A client error is final,
 * except for too many requests.
 */
export function retryDelay({ status = 0 }, failures) {
  const isRefused = status >= 400 && status < 500 && status !== TOO_MANY_REQUESTS;
  return isRefused || failures > FAILURES_MAX ? null : POLL_MS * 2 ** (failures - 1);
}
