// Transition to the page of a new search. The old page stays for a moment, so that the results of a fast source are
// rendered in the same frame.

/** How long the old page may stay; short enough not to be noticed. */
const TRANSITION_MS_MAX = 60;

/** Queued steps: run by `now` or after the time limit; later steps run at once. */
export function pageTransition(signal) {
  let steps = [];
  const now = () => {
    clearTimeout(timer);
    const waiting = steps ?? [];
    steps = null;
    for (const step of waiting) step();
  };
  const timer = setTimeout(now, TRANSITION_MS_MAX);
  signal.addEventListener("abort", () => clearTimeout(timer));
  return { now, then: (step) => (steps ? steps.push(step) : step()) };
}
