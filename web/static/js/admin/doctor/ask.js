// Step 1: the sample request, or a sample response.

import { Refused, post } from "../../api.js";
import { h } from "../../dom.js";
import { t } from "../../i18n.js";
import { field, mistake, sentence } from "../parts.js";

/** Parameters that usually hold the word that is searched for. */
const QUERY_NAMES = ["q", "query", "query_string", "term", "terms", "search", "search_query", "searchterm", "text", "keyword", "keywords", "kw", "s", "w", "qs", "wt", "srsearch", "phrase", "find"];

export function askStep(onanswer) {
  const request = h("textarea", { rows: 3, spellcheck: "false", autocomplete: "off", placeholder: "https://api.example.org/search?q=river", required: true });
  const word = h("input", { type: "text", maxlength: 1000, autocomplete: "off", placeholder: t("river") });
  const sample = h("textarea", { rows: 6, spellcheck: "false", autocomplete: "off", placeholder: '{"total": 2, "items": [{"title": "…"}]}' });
  const ask = h("button", { class: "go" }, t("Send request"));
  const status = h("p", { class: "mistake", role: "alert" });
  const more = h("details", { class: "more" }, h("summary", {}, t("Source not reachable from here? Paste a sample response")),
    field(t("Sample response"), sample, t("JSON or XML, as returned by the source. Two or more results improve the suggestions.")));
  const form = h("form", { class: "asking", novalidate: true, onsubmit: submit },
    field(t("URL or curl command"), request, t("Include a word that returns results. API keys may stay: they are used for this request only and replaced by placeholders.")),
    h("div", { class: "ask-row" }, field(t("Query in this request"), word), ask), status, more);

  let isOwn = false;
  word.addEventListener("input", () => (isOwn = word.value !== ""));
  request.addEventListener("input", () => {
    mistake(request);
    if (!isOwn) word.value = wordOf(request.value);
  });
  request.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !/[\\\n]/.test(request.value)) {
      event.preventDefault();
      form.requestSubmit();
    }
  });

  async function submit(event) {
    event.preventDefault();
    [request, word, sample].forEach((control) => mistake(control));
    status.textContent = "";
    if (!request.value.trim() && !sample.value.trim()) {
      mistake(request, t("Paste the URL of a search, or a sample response below."));
      request.focus();
      return;
    }
    ask.disabled = true;
    ask.textContent = t("Sending…");
    const asked = { request: request.value.trim(), query: word.value.trim(), sample: sample.value.trim() || null };
    try {
      onanswer(asked, await post("/searchproviders/doctor/", { ...asked, fetch: !asked.sample }));
    } catch (error) {
      refuse(error);
    } finally {
      ask.disabled = false;
      ask.textContent = t("Send again");
    }
  }

  function refuse(error) {
    const controls = { request, query: word, sample };
    const named = error instanceof Refused ? Object.entries(error.errors).filter(([name]) => controls[name]) : [];
    for (const [name, said] of named) mistake(controls[name], [said].flat().join(" "));
    if (error.errors?.sample) more.open = true;
    if (!named.length) status.textContent = sentence(error);
    (controls[named[0]?.[0]] ?? request).focus();
  }
  return form;
}

/** The word in a pasted request, when a parameter tells. */
export function wordOf(request) {
  const address = /https?:\/\/[^\s'"]+/.exec(request)?.[0];
  if (!address || !URL.canParse(address)) return "";
  const parameters = new URL(address).searchParams;
  const name = QUERY_NAMES.find((name) => parameters.get(name));
  return name ? parameters.get(name) : "";
}
