// When polling a scan is retried, and when it stops.

/** How long after a look the next one comes. */
export const LOOK_MS = 1000;
/** Looks in a row that may fail; together they wait for about half a minute. */
export const FAILURES_MAX = 5;

const TOO_MANY = 429;

/**
 * After so many milliseconds it is tried again; null when it is not. `failures` counts this one too. Who is refused hears
 * the same the next time, unless it was asked too often.
 */
export function waitAfter({ status = 0 }, failures) {
  const isRefused = status >= 400 && status < 500 && status !== TOO_MANY;
  return isRefused || failures > FAILURES_MAX ? null : LOOK_MS * 2 ** (failures - 1);
}
