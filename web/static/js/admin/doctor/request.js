// Step 1: the sample request, or a sample response.

import { ApiError, post } from "../../api.js";
import { h } from "../../dom.js";
import { t } from "../../i18n.js";
import { field, showFieldError, errorMessage } from "../components.js";

/** Parameters that usually contain the query. */
const QUERY_NAMES = ["q", "query", "query_string", "term", "terms", "search", "search_query", "searchterm", "text", "keyword", "keywords", "kw", "s", "w", "qs", "wt", "srsearch", "phrase", "find"];

export function requestStep(onanswer) {
  const request = h("textarea", { rows: 3, spellcheck: "false", autocomplete: "off", placeholder: "https://api.example.org/search?q=river", required: true });
  const query = h("input", { type: "text", maxlength: 1000, autocomplete: "off", placeholder: t("river") });
  const sample = h("textarea", { rows: 6, spellcheck: "false", autocomplete: "off", placeholder: '{"total": 2, "items": [{"title": "…"}]}' });
  const sendButton = h("button", { class: "go" }, t("Send request"));
  const status = h("p", { class: "field-error", role: "alert" });
  const more = h("details", { class: "more" }, h("summary", {}, t("Source not reachable from here? Paste a sample response")),
    field(t("Sample response"), sample, t("JSON or XML, as returned by the source. Two or more results improve the suggestions.")));
  const form = h("form", { class: "request-form", novalidate: true, onsubmit: submit },
    field(t("URL or curl command"), request, t("Include a search term that returns results. You can leave API keys in: they are used only for this request, and placeholders are saved instead.")),
    h("div", { class: "ask-row" }, field(t("Query in this request"), query), sendButton), status, more);

  let isEdited = false;
  query.addEventListener("input", () => (isEdited = query.value !== ""));
  request.addEventListener("input", () => {
    showFieldError(request);
    if (!isEdited) query.value = queryOf(request.value);
  });
  request.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !/[\\\n]/.test(request.value)) {
      event.preventDefault();
      form.requestSubmit();
    }
  });

  async function submit(event) {
    event.preventDefault();
    [request, query, sample].forEach((control) => showFieldError(control));
    status.textContent = "";
    if (!request.value.trim() && !sample.value.trim()) {
      showFieldError(request, t("Paste the URL of a search, or a sample response below."));
      request.focus();
      return;
    }
    sendButton.disabled = true;
    sendButton.textContent = t("Sending…");
    const input = { request: request.value.trim(), query: query.value.trim(), sample: sample.value.trim() || null };
    try {
      onanswer(input, await post("/searchproviders/doctor/", { ...input, fetch: !input.sample }));
    } catch (error) {
      showErrors(error);
    } finally {
      sendButton.disabled = false;
      sendButton.textContent = t("Send again");
    }
  }

  function showErrors(error) {
    const controls = { request, query: query, sample };
    const named = error instanceof ApiError ? Object.entries(error.errors).filter(([name]) => controls[name]) : [];
    for (const [name, messages] of named) showFieldError(controls[name], [messages].flat().join(" "));
    if (error.errors?.sample) more.open = true;
    if (!named.length) status.textContent = errorMessage(error);
    (controls[named[0]?.[0]] ?? request).focus();
  }
  return form;
}

/** The query of a pasted request, if a known parameter contains it. */
export function queryOf(request) {
  const address = /https?:\/\/[^\s'"]+/.exec(request)?.[0];
  if (!address || !URL.canParse(address)) return "";
  const parameters = new URL(address).searchParams;
  const name = QUERY_NAMES.find((name) => parameters.get(name));
  return name ? parameters.get(name) : "";
}
