// From the page of before to the page of the new search. A source that answers at once finds the old page still there:
// its results are painted in the same step, and nothing that nobody could read is painted between.

/** So long the old page may stay. People see no difference, and a frame less is drawn. */
const TURN_MS_MAX = 60;

/** Steps that wait together; `now` does them, or the time. Those that come later are done at once. */
export function turning(signal) {
  let steps = [];
  const now = () => {
    clearTimeout(timer);
    const waiting = steps ?? [];
    steps = null;
    for (const step of waiting) step();
  };
  const timer = setTimeout(now, TURN_MS_MAX);
  signal.addEventListener("abort", () => clearTimeout(timer));
  return { now, then: (step) => (steps ? steps.push(step) : step()) };
}
