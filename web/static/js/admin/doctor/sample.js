// A sample response of a source that is configured already, with its stored credentials.

import { ApiError, post } from "../../api.js";
import { t } from "../../i18n.js";

/** Results that are requested for a sample. */
const RESULTS_MAX = 5;
/** The whole response, as a field of the first result. */
const WHOLE = { response_mappings: "", result_mappings: "response=$,NO_PAYLOAD", result_processors: ["MappingResultProcessor"] };

/** Queries the source of the form, saved or not. Returns its response, or a list with its first item. */
async function fetchResponse(values, query, stored) {
  const { results_per_query: count, config } = values;
  const provider = { ...values, ...WHOLE, results_per_query: Math.min(count ?? RESULTS_MAX, RESULTS_MAX), config: withoutPages(config) };
  const test = await post(`/searchproviders/test/?q=${encodeURIComponent(query)}`, provider);
  if (test.error) throw new SampleError(test.error.message);
  if (!test.sample) throw new SampleError(t("No results for this query. Try another word."));
  const { response } = test.sample.payload;
  if (response === null || typeof response !== "object") throw new SampleError(t("The response is too large for the editor. Edit the mappings as text."));
  return test.retrieved > 1 || stored.describes(response) ? [response] : response;
}

/** The text of pages is of no use here. */
function withoutPages(config) {
  if (!config?.swirl) return config;
  const { fetch_url_body: _, ...swirl } = config.swirl;
  return { ...config, swirl };
}

/** Why there is no sample. */
export class SampleError extends Error {}

/** Examines a response of the source. The result is that of the doctor, with the URL of the source. */
export async function examineSource(values, query, stored) {
  const response = await fetchResponse(values, query, stored);
  const diagnosis = await examine(response).catch((error) => {
    if (!(error instanceof ApiError) || error.status !== 400 || Array.isArray(response)) throw error;
    // A response without a list may be a result itself.
    return examine([response]);
  });
  return { ...diagnosis, provider: { url: values.url ?? "" } };
}

const examine = (sample) => post("/searchproviders/doctor/", { sample });
