// Whether an AI model lacks a key, and the warning about it.

import { fill, h } from "../../dom.js";
import { t } from "../../i18n.js";

/** Models that run here, or whose service has its own way to sign in. */
const WITHOUT_KEY = /^(local|tributary-reader|ollama|bedrock|vertex_ai)\b/;

/**
 * Whether the service of the model probably refuses requests because they have no key. A service at an `http:` address is
 * in the own network, and usually needs none.
 * @param {{ model?: string, config?: { api_base?: unknown } | null, api_key_set?: boolean }} record
 */
export function lacksKey({ model, config, api_key_set: isSet }) {
  const isOwnService = /^http:/i.test(String(config?.api_base ?? ""));
  return Boolean(model) && !isSet && !isOwnService && !WITHOUT_KEY.test(model);
}

export const keyWarning = () => t("Without a key, the service of this model will probably refuse every request.");

/** The warning below the key in the form. It follows what is entered. */
export function keyNote(form) {
  const note = h("p", { class: "key-warning", role: "status" });
  const text = (name) => form.fields.get(name).control.raw();
  const update = () => {
    const isActive = text("active") === "true";
    const isSet = Boolean(text("api_key") || form.row.api_key_set);
    fill(note, isActive && lacksKey({ model: text("model"), config: parse(text("config")), api_key_set: isSet }) ? keyWarning() : null);
  };
  // The fields are in the form only after all of them were built.
  queueMicrotask(() => {
    for (const event of ["input", "change"]) form.form.addEventListener(event, update);
    update();
  });
  return note;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
