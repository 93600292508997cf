// The note that no model is enabled: what Enter does then, and extractive answers instead.

import { patch } from "../api.js";
import { announce, one, toast } from "../dom.js";

const note = () => one(".no-model");

/** If no model is enabled, leads to what can be done about it. Returns whether it did. */
export function explainNoModel() {
  if (!note()) return false;
  const next = one("[data-serve]", note()) ?? one("a", note()) ?? note();
  next.scrollIntoView({ block: "nearest" });
  next.focus();
  announce(note().textContent);
  return true;
}

/** Enables extractive answers for the Assistant. Returns whether that succeeded. */
export async function enableExtractive(button) {
  const tags = [...new Set([...button.dataset.tags.split(",").filter(Boolean), "chat"])];
  button.disabled = true;
  try {
    await patch(`/aiproviders/${button.dataset.serve}/`, { tags });
    note().remove();
    return true;
  } catch (error) {
    button.disabled = false;
    toast(error.message, { bad: true });
    return false;
  }
}
