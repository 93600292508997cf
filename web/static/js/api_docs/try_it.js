// The request of an operation as a curl command, and a form that sends it with the session of this browser.

import { confirmAction } from "../confirm_dialog.js";
import { h, toast } from "../dom.js";
import { t } from "../i18n.js";
import { bodyField } from "./body_field.js";
import { codeBlock } from "./code_block.js";
import { acceptedTypes } from "./operations.js";
import { acceptField, parameterFields } from "./parameter_fields.js";
import { curlOf, missingValues, noValues, requestOf } from "./request.js";
import { responseView } from "./response_view.js";
import { send } from "./send.js";

/**
 * @param {any} source the OpenAPI document
 * @param {import("./operations.js").Operation} operation
 */
export function tryIt(source, operation) {
  const values = noValues();
  const types = acceptedTypes(operation);
  [values.accept] = types;
  const curl = codeBlock({ label: t("curl command") });
  const update = () => curl.replace(curlOf(requestOf(operation, values), location.origin, operation.security.length > 0));
  const fields = parameterFields(source, operation, values, update);
  const body = operation.body && bodyField(source, operation, values, update);
  const answer = responseView();
  const button = h("button", { class: operation.method === "DELETE" ? "danger" : "go" }, t("Send"));
  const stop = h("button", { type: "button", class: "soft", hidden: true }, t("Stop"));
  const form = h(
    "form",
    { id: `try-${operation.id}`, class: "try-form", novalidate: true, autocomplete: "off" },
    !operation.isSafe && h("p", { class: "note" }, t("The request is sent with your account and may change data.")),
    fields.element,
    types.length > 1 && acceptField(types, values, update),
    body?.element,
    h("p", { class: "buttons" }, button, stop),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const isComplete = [fields.check(missingValues(operation, values)), body?.check() ?? true].every(Boolean);
    const request = requestOf(operation, values);
    if (!isComplete || !(await isConfirmed(request))) return;
    const controller = new AbortController();
    stop.onclick = () => controller.abort();
    button.disabled = true;
    stop.hidden = false;
    await send(operation, request, controller.signal, answer).catch((error) => toast(error.message, { bad: true }));
    button.disabled = false;
    stop.hidden = true;
  });
  update();
  return [
    h("section", { class: "aside-card", "aria-labelledby": "curl-title" }, h("div", { class: "aside-head" }, h("h2", { id: "curl-title" }, t("Request")), curl.button), curl.element),
    h("details", { class: "aside-card try", open: operation.isSafe }, h("summary", {}, t("Try it")), form, answer.element),
  ];
}

/** Deletions are confirmed. */
async function isConfirmed({ method, url }) {
  if (method !== "DELETE") return true;
  return confirmAction({ title: t("Send {what}?", { what: `${method} ${url}` }), sentence: t("What this request deletes cannot be restored."), yes: t("Send") });
}
