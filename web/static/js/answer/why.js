// Why there is no answer, and what can be done. The results are there in any case.

import { t } from "../words.js";

/** A heading, what happened and what to do next, for people. */
export function why({ code, message }, seconds) {
  switch (code) {
    case "no_relevant_results":
      return {
        title: t("Nothing is relevant enough for an answer"),
        sentence: message,
        next: t("Select the results that should be used, or search with other words."),
      };
    case "no_source_text":
      return {
        title: t("There is no text to answer from"),
        sentence: message,
        next: t("Select other results, or open them at their sources."),
      };
    case "rag_timeout":
      return {
        title: t("The answer took too long"),
        sentence: t("It was not there after {n} seconds and was stopped. The results are not affected.", { n: seconds }),
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
        title: t("No model is switched on for answers"),
        sentence: message,
        next: t("An administrator can switch one on under AIProviders."),
      };
    default:
      return { title: t("No answer"), sentence: message, next: t("The results are not affected. Try again in a moment.") };
  }
}
