// Mappings of a provider: paths of the response to fields of a result.

import { ALL, startsWith, findValues, parsePath, extractValue, prefixPaths, formatPath } from "./path.js";

/** The fields that the user can assign, by their keys in the mappings. */
export const FIELDS = ["title", "body", "url", "date_published", "author"];
/** Fields that use every item of a list; the others use the first. */
const LIST_FIELDS = new Set(["body", "author"]);

export class Mappings {
  constructor(diagnosis) {
    this.answer = diagnosis.answer;
    this.results = diagnosis.results_path === "$" ? [] : (parsePath(diagnosis.results_path) ?? []);
    this.count = diagnosis.results;
    this.counts = {};
    this.wrapper = [];
    for (const { field, path } of diagnosis.proposals) {
      if (field === "RESULT") this.wrapper = parsePath(path) ?? [];
      else if (field === "FOUND" || field === "RETRIEVED") this.counts[field] = path;
    }
    this.fields = Object.fromEntries(FIELDS.map((key) => [key, diagnosis.proposals.find((one) => one.field === key)?.path ?? ""]));
  }

  /** The items of the result list, each without its wrapper. */
  items() {
    const list = findValues(this.answer, this.results)[0];
    return Array.isArray(list) ? list.map((item) => findValues(item, this.wrapper)[0] ?? {}) : [];
  }

  /** The value of this field in the first item that has one. */
  example(key) {
    for (const item of this.items()) {
      const value = this.fields[key] ? extractValue(this.fields[key], item) : "";
      if (value) return value;
    }
    return "";
  }

  /** The first result with these mappings. */
  first() {
    const item = this.items()[0] ?? {};
    return Object.fromEntries(FIELDS.map((key) => [key, this.fields[key] ? extractValue(this.fields[key], item) : ""]));
  }

  /** Assigns the value at this path of the response to a field. Returns false if it is not part of a result. */
  choose(key, steps) {
    if (!startsWith(steps, this.results) || typeof steps[this.results.length] !== "number") return false;
    const inside = steps.slice(this.results.length + 1);
    if (!inside.length) return false;
    if (!startsWith(inside, this.wrapper)) this.unwrap();
    const path = inside.slice(this.wrapper.length);
    this.fields[key] = formatPath(path.map((step) => (typeof step !== "number" ? step : LIST_FIELDS.has(key) ? ALL : 0)));
    return true;
  }

  /** The fields that use the value at this path. */
  uses(steps) {
    if (!startsWith(steps, this.results) || typeof steps[this.results.length] !== "number") return [];
    const inside = steps.slice(this.results.length + 1);
    if (!startsWith(inside, this.wrapper)) return [];
    const path = inside.slice(this.wrapper.length);
    return FIELDS.filter((key) => paths(this.fields[key]).some((one) => matches(one, path)));
  }

  /** Removes the wrapper: every path then begins at the item itself. */
  unwrap() {
    for (const key of FIELDS) if (this.fields[key]) this.fields[key] = prefixPaths(this.fields[key], this.wrapper);
    this.wrapper = [];
  }

  /** The mappings as fields of the provider. */
  toProviderFields() {
    const response = [];
    if (this.results.length) response.push(`RESULTS=${formatPath(this.results)}`);
    if (this.wrapper.length) response.push(`RESULT=${formatPath(this.wrapper)}`);
    for (const [key, path] of Object.entries(this.counts)) response.push(`${key}=${path}`);
    const result = FIELDS.filter((key) => this.fields[key].trim()).map((key) => `${key}=${this.fields[key].trim()}`);
    return { response_mappings: response.join(","), result_mappings: result.join(",") };
  }
}

function paths(mapping) {
  if (!mapping) return [];
  const texts = /^['"]/.test(mapping.trim()) ? [...mapping.matchAll(/\{([^}]*)\}/g)].map((found) => found[1]) : mapping.split("|");
  return texts.map(parsePath).filter(Boolean);
}

function matches(steps, path) {
  return steps.length === path.length && steps.every((step, place) => step === path[place] || (step === ALL && typeof path[place] === "number"));
}
