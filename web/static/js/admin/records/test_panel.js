// Test panel of a record: a real request, or a dry run.

import { ApiError, post } from "../../api.js";
import { fill, h } from "../../dom.js";
import { number, secondCount, t } from "../../i18n.js";
import { resultPreview } from "../doctor/result.js";
import { errorMessage, toSentence } from "../components.js";
import { apiOf, resource } from "./resource.js";

/** Tests the source as it is in the form, saved or not. */
export function sourceTest(form) {
  const query = h("input", { type: "text", id: "test-query", maxlength: "2048", value: "test" });
  const answer = h("div", { class: "test-result", "aria-live": "polite" });
  const go = async (isDry) => {
    const values = form.values();
    if (!values) return;
    if (!form.isNew) values.id = form.row[resource.key];
    const path = `/searchproviders/test/?q=${encodeURIComponent(query.value || "test")}${isDry ? "&dry_run=true" : ""}`;
    await showTest(answer, form, async () => (isDry ? requests : sample)(await post(path, values)));
  };
  return h("section", { class: "card" }, h("h2", {}, t("Test")),
    h("p", { class: "muted" }, t("Tests the form as it is, saved or not. Nothing is stored.")),
    h("form", { class: "test-form", onsubmit: (event) => (event.preventDefault(), go(false)) },
      h("label", { for: "test-query" }, t("Query")), query,
      h("div", { class: "beside" }, h("button", { class: "go" }, t("Run test")), h("button", { type: "button", class: "soft", onclick: () => go(true) }, t("Show requests only")))),
    answer);
}

/** Tests the saved AI model in one of its roles. */
export function modelTest(form) {
  if (form.isNew) return h("section", { class: "card" }, h("h2", {}, t("Test")), h("p", { class: "muted" }, t("Save it first, then test it here.")));
  const roles = form.row.tags.length ? form.row.tags : [""];
  const role = h("select", { id: "test-role" }, roles.map((word) => h("option", { value: word }, word || t("any role"))));
  const answer = h("div", { class: "test-result", "aria-live": "polite" });
  const go = () => showTest(answer, form, async () => {
    const outcome = await post(`${apiOf(form.row[resource.key])}test/${role.value ? `?role=${encodeURIComponent(role.value)}` : ""}`);
    const isFine = outcome.status === "OK";
    return [h("p", {}, verdict(isFine), " ", h("span", { class: "muted num" }, t("{model}, {n} s", { model: outcome.model, n: secondCount(outcome.time) }))),
      h("p", { class: isFine ? "sample" : "field-error" }, isFine ? outcome.sample : toSentence(outcome.error))];
  });
  return h("section", { class: "card" }, h("h2", {}, t("Test")), h("p", { class: "muted" }, t("Sends a minimal test request to the saved model: one word, one embedding, or two rankings.")),
    h("form", { class: "test-form", onsubmit: (event) => (event.preventDefault(), go()) },
      h("label", { for: "test-role" }, t("Role")), h("div", { class: "beside" }, role, h("button", { class: "go" }, t("Run test")))), answer);
}

async function showTest(answer, form, work) {
  fill(answer, h("p", { class: "muted loading" }, t("Testing…")));
  try {
    fill(answer, await work());
  } catch (error) {
    const isByField = error instanceof ApiError && Object.keys(error.errors).length;
    fill(answer, h("p", { class: "field-error" }, isByField ? t("Check the highlighted fields first.") : errorMessage(error)));
    if (isByField) form.showErrors(error);
  }
}

const verdict = (isFine) => h("span", { class: isFine ? "badge" : "badge bad" }, isFine ? t("works") : t("failed"));

function sample(test) {
  const isFine = test.status === "OK";
  const head = h("p", {}, verdict(isFine), " ", isFine && h("span", { class: "muted num" },
    t("{retrieved} of {found} in {n} s", { retrieved: number(test.retrieved), found: number(test.found), n: secondCount(test.time) })));
  if (!isFine) return [head, h("p", { class: "field-error" }, test.error ? toSentence(test.error.message) : t("No response."))];
  if (!test.sample) return [head, h("p", { class: "muted" }, t("No results for this query. Try another word."))];
  return [head, resultPreview(test.sample, ""), all(t("All fields of the first result"), test.sample)];
}

function requests(run) {
  if (run.error) return h("p", { class: "field-error" }, toSentence(run.error.message));
  return run.requests.map((one) => h("div", { class: "sample" },
    h("p", {}, h("span", { class: "badge" }, one.method), " ", h("span", { class: "sample-url" }, one.url)),
    Object.keys(one.headers).length > 0 && h("pre", {}, Object.entries(one.headers).map(([name, value]) => `${name}: ${value}`).join("\n")),
    one.body && h("pre", {}, typeof one.body === "string" ? one.body : JSON.stringify(one.body, null, 2))));
}

const all = (title, value) => h("details", {}, h("summary", {}, title), h("pre", {}, JSON.stringify(value, null, 2)));
