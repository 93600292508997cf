// The mappings that a source has, as the starting point of the editor.

import { readMappings } from "./mapping_text.js";
import { FIELDS } from "./mappings.js";
import { extractValue, findValues, formatPath, parsePath } from "./path.js";

/** The keys of the response mappings that the editor changes. */
const PLACES = ["RESULTS", "RESULT", "FOUND", "RETRIEVED"];

export class StoredMappings {
  /** @param {{ response_mappings: string, result_mappings: string }} values */
  constructor(values) {
    this.places = readMappings(values.response_mappings, PLACES);
    this.fields = readMappings(values.result_mappings, FIELDS);
  }

  /** The steps to the result list of a response; a response that is a list is the list itself. */
  listSteps(response) {
    return Array.isArray(response) ? [] : (parsePath(this.places.known.RESULTS ?? "$") ?? []);
  }

  /** Whether the mappings fit this response: its result list is there, and a field is mapped. */
  fits(response) {
    return Array.isArray(findValues(response, this.listSteps(response))[0]) && Object.keys(this.fields.known).length > 0;
  }

  /** Whether a field has a value in this object, so that it is a result and not a response with results. */
  describes(item) {
    return !this.places.known.RESULTS && FIELDS.some((key) => this.fields.known[key] && extractValue(this.fields.known[key], item));
  }

  /** The diagnosis with these mappings in place of the suggested ones. */
  applyTo(diagnosis) {
    const { RESULTS: path, ...places } = this.places.known;
    const known = { ...places, ...this.fields.known };
    const steps = this.listSteps(diagnosis.answer);
    const isSameList = diagnosis.results_path === (steps.length ? formatPath(steps) : "$");
    return {
      ...diagnosis,
      results_path: Array.isArray(diagnosis.answer) ? "$" : (path ?? "$"),
      // Only the first results are in the answer.
      results: isSameList ? diagnosis.results : findValues(diagnosis.answer, steps)[0].length,
      proposals: Object.entries(known).map(([field, path]) => ({ field, path })),
    };
  }
}
