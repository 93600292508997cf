// Error messages for a failed summary.

import { announce, one } from "../dom.js";
import { t } from "../i18n.js";

/** Shows in the section why there is no answer. */
export function showFailure(section, outcome, seconds) {
  const { title, sentence, next } = describeFailure(outcome, seconds);
  one("h2", section).textContent = title;
  one("[data-why]", section).textContent = sentence;
  one("[data-next]", section).textContent = next;
  section.hidden = false;
  announce(sentence ? `${title}. ${sentence}` : `${title}.`);
}

/** A heading, what happened and what to do next, for the user. */
function describeFailure({ code, message }, seconds) {
  switch (code) {
    case "no_relevant_results":
      return {
        title: t("No results are relevant enough for an answer"),
        sentence: "",
        next: t("Select the results to use, or search with other words."),
      };
    case "no_source_text":
      return {
        title: t("No text to answer from"),
        sentence: message,
        next: t("Select other results, or open them at the source."),
      };
    case "rag_timeout":
      return {
        title: t("The answer took too long"),
        sentence: t("It was stopped after {n} seconds. The results are not affected.", { n: seconds }),
        next: t("Try again, or select fewer results."),
      };
    case "ai_provider_error":
      return {
        title: t("The model did not answer"),
        sentence: message,
        next: t("The results are not affected. Try again in a moment."),
      };
    case "no_ai_provider":
      return {
        title: t("No model is enabled for answers"),
        sentence: message,
        next: t("An administrator can enable one under “AI models”."),
      };
    default:
      return { title: t("No answer"), sentence: message, next: t("The results are not affected. Try again in a moment.") };
  }
}
