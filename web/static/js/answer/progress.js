// State of a summary, from its events. Independent of the page.

export const STAGES = ["waiting", "choosing", "reading", "writing", "checking"];

export const initialState = () => ({ stage: "choosing", done: 0, of: 0, text: "", sources: [], end: null, code: "", message: "" });

/** The state after an event; unknown events and stages are ignored. */
export function applyEvent(state, event, data) {
  switch (event) {
    case "status":
      return STAGES.includes(data.stage) ? { ...state, stage: data.stage, done: data.done ?? 0, of: data.of ?? 0 } : state;
    case "source":
      return { ...state, sources: [...state.sources, data] };
    case "delta":
      return { ...state, text: state.text + data.text };
    case "done":
      return { ...state, end: "done" };
    case "error":
      return { ...state, end: "failed", code: data.code ?? "", message: data.message ?? "" };
    default:
      return state;
  }
}

/** The position of a stage relative to the current one: `past`, `now` or `next`. */
export function positionOf(stage, now) {
  const difference = STAGES.indexOf(stage) - STAGES.indexOf(now);
  return difference < 0 ? "past" : difference === 0 ? "now" : "next";
}
