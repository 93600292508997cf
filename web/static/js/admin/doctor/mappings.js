// Mappings of a provider: paths of the response to fields of a result.

import { ALL, begins, find, parse, taken, under, write } from "./path.js";

/** The fields that a person can choose, by their keys in the mappings. */
export const FIELDS = ["title", "body", "url", "date_published", "author"];
/** Of these every item of a list is taken, of the others the first. */
const WHOLE = new Set(["body", "author"]);

export class Mappings {
  constructor(diagnosis) {
    this.answer = diagnosis.answer;
    this.results = diagnosis.results_path === "$" ? [] : (parse(diagnosis.results_path) ?? []);
    this.count = diagnosis.results;
    this.counts = {};
    this.wrapper = [];
    for (const { field, path } of diagnosis.proposals) {
      if (field === "RESULT") this.wrapper = parse(path) ?? [];
      else if (field === "FOUND" || field === "RETRIEVED") this.counts[field] = path;
    }
    this.fields = Object.fromEntries(FIELDS.map((key) => [key, diagnosis.proposals.find((one) => one.field === key)?.path ?? ""]));
  }

  /** The items of the list of results, each without what wraps it. */
  items() {
    const list = find(this.answer, this.results)[0];
    return Array.isArray(list) ? list.map((item) => find(item, this.wrapper)[0] ?? {}) : [];
  }

  /** What this field takes from the first item that has it. */
  example(key) {
    for (const item of this.items()) {
      const value = this.fields[key] ? taken(this.fields[key], item) : "";
      if (value) return value;
    }
    return "";
  }

  /** The first result as it would be. */
  first() {
    const item = this.items()[0] ?? {};
    return Object.fromEntries(FIELDS.map((key) => [key, this.fields[key] ? taken(this.fields[key], item) : ""]));
  }

  /** Takes the value at these steps of the answer for a field. False when it is not part of a result. */
  choose(key, steps) {
    if (!begins(steps, this.results) || typeof steps[this.results.length] !== "number") return false;
    const inside = steps.slice(this.results.length + 1);
    if (!inside.length) return false;
    if (!begins(inside, this.wrapper)) this.unwrap();
    const path = inside.slice(this.wrapper.length);
    this.fields[key] = write(path.map((step) => (typeof step !== "number" ? step : WHOLE.has(key) ? ALL : 0)));
    return true;
  }

  /** The fields that take the value at these steps. */
  uses(steps) {
    if (!begins(steps, this.results) || typeof steps[this.results.length] !== "number") return [];
    const inside = steps.slice(this.results.length + 1);
    if (!begins(inside, this.wrapper)) return [];
    const path = inside.slice(this.wrapper.length);
    return FIELDS.filter((key) => paths(this.fields[key]).some((one) => matches(one, path)));
  }

  /** Without the wrapper every path begins at the item itself. */
  unwrap() {
    for (const key of FIELDS) if (this.fields[key]) this.fields[key] = under(this.fields[key], this.wrapper);
    this.wrapper = [];
  }

  /** The texts of the provider. */
  written() {
    const response = [];
    if (this.results.length) response.push(`RESULTS=${write(this.results)}`);
    if (this.wrapper.length) response.push(`RESULT=${write(this.wrapper)}`);
    for (const [key, path] of Object.entries(this.counts)) response.push(`${key}=${path}`);
    const result = FIELDS.filter((key) => this.fields[key].trim()).map((key) => `${key}=${this.fields[key].trim()}`);
    return { response_mappings: response.join(","), result_mappings: result.join(",") };
  }
}

function paths(mapping) {
  if (!mapping) return [];
  const texts = /^['"]/.test(mapping.trim()) ? [...mapping.matchAll(/\{([^}]*)\}/g)].map((found) => found[1]) : mapping.split("|");
  return texts.map(parse).filter(Boolean);
}

function matches(steps, path) {
  return steps.length === path.length && steps.every((step, place) => step === path[place] || (step === ALL && typeof path[place] === "number"));
}
