// JSON merge patch of the settings of a record.

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * What changes one object into another: its changed members, and null for those that are removed.
 * @param {Record<string, unknown>} before
 * @param {Record<string, unknown>} after
 */
function changesOf(before, after) {
  /** @type {Record<string, unknown>} */
  const changes = {};
  for (const name of Object.keys(before)) if (!(name in after)) changes[name] = null;
  for (const [name, value] of Object.entries(after)) {
    const old = before[name];
    if (JSON.stringify(old) !== JSON.stringify(value)) changes[name] = isObject(old) && isObject(value) ? changesOf(old, value) : value;
  }
  return changes;
}

/** The fields that the service merges. */
const MERGED = ["config", "page_fetch_config_json"];

/**
 * The changed values of a record as a patch; `before` are all of its values.
 * @param {Record<string, any>} before
 * @param {Record<string, any>} changed
 */
export function patchOf(before, changed) {
  const merged = MERGED.filter((name) => isObject(before[name]) && isObject(changed[name]));
  return { ...changed, ...Object.fromEntries(merged.map((name) => [name, changesOf(before[name], changed[name])])) };
}
