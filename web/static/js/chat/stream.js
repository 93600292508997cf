// State of a reply, from its events. Independent of the page.

export const initialState = () => ({ round: 0, text: "", doing: "", tools: [], end: null, message: null, code: "", why: "" });

/**
 * The state after an event. Text belongs to the answer only if no tool call follows in its round: a tool call or a new
 * round discards it.
 */
export function applyEvent(state, event, data) {
  switch (event) {
    case "status":
      return { ...state, doing: "thinking", round: data.round ?? state.round };
    case "tool":
      return tool(state, data);
    case "delta": {
      const isSame = data.round === undefined || data.round === state.round;
      return { ...state, round: data.round ?? state.round, doing: "writing", text: (isSame ? state.text : "") + data.text };
    }
    case "done":
      return { ...state, end: "done", message: data };
    case "error":
      return { ...state, end: "failed", code: data.code ?? "", why: data.message ?? "" };
    default:
      return state;
  }
}

/** A tool call has two events: at its start, and at its end with its duration. */
function tool(state, { name, args, took }) {
  const query = typeof args?.query === "string" ? args.query : "";
  if (took === undefined) return { ...state, text: "", doing: name, query };
  return { ...state, doing: "thinking", tools: [...state.tools, { name, query, took }] };
}
