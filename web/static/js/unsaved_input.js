// Keeps typed input in this tab while the user signs in again after the session has expired, and restores it.

const KEY = "typed";
/** Older input is discarded. */
const AGE_MS_MAX = 3600_000;
/** How long to wait for fields: modules draw the forms, so fields may appear after the page has loaded. */
const WAIT_MS = 10_000;
/** Maximum number of saved fields, more than any form has. */
const FIELDS_MAX = 500;
const FIELDS = "input, textarea";
/** Types of fields that are saved. Passwords are never saved, and switches keep the value of the record. */
const SAVED_TYPES = new Set(["text", "search", "email", "url", "tel", "number", "date", "datetime-local", "time", "textarea"]);

/** @type {(name: string) => string} */
const meta = (name) => /** @type {HTMLMetaElement} */ (document.querySelector(`meta[name="${name}"]`))?.content ?? "";
const currentPath = () => location.pathname + location.search;
const isSaved = (field) => SAVED_TYPES.has(field.type) && !field.readOnly && field.value !== "";

/** What distinguishes a field from others. An id that ends in a number may differ after a reload, so it is ignored. */
function describeField(field) {
  const id = /\d$/.test(field.id) ? "" : field.id;
  const label = field.labels?.[0]?.textContent ?? "";
  const section = field.closest("section[id]")?.id ?? "";
  return JSON.stringify([section, field.form?.getAttribute("action") ?? "", field.form?.id ?? "", id, field.name, field.type, label]);
}

/**
 * Every field with a key that is the same after a reload: what distinguishes it, and its position among equal ones.
 * @returns {Generator<[string, HTMLInputElement]>}
 */
function* fieldsByKey() {
  const counts = new Map();
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll(FIELDS))) {
    const key = describeField(field);
    const place = counts.get(key) ?? 0;
    counts.set(key, place + 1);
    yield [`${key} ${place}`, field];
  }
}

/** Saves the input of this page in the session storage, if the browser has one. */
export function saveInput() {
  const values = [];
  for (const [name, field] of fieldsByKey()) {
    if (isSaved(field) && values.length < FIELDS_MAX) values.push([name, field.value]);
  }
  const saved = { path: currentPath(), user: meta("user"), until: Date.now() + AGE_MS_MAX, values };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(saved));
  } catch {
    // The storage is full or disabled.
  }
}

/** Restores the input that was saved for this page and this user, also in fields that appear in the next seconds. */
export function restoreInput() {
  const saved = readSaved();
  const user = meta("user");
  if (!saved || !user) return;
  const isOver = saved.user !== user || saved.until < Date.now();
  if (isOver || saved.path === currentPath()) sessionStorage.removeItem(KEY);
  if (isOver || saved.path !== currentPath()) return;
  const waiting = new Map(saved.values);
  fillFields(waiting);
  const watcher = new MutationObserver(() => fillFields(waiting) || watcher.disconnect());
  watcher.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => watcher.disconnect(), WAIT_MS);
}

function readSaved() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}

/** Fills the fields that exist; returns whether some are still missing. */
function fillFields(waiting) {
  for (const [name, field] of fieldsByKey()) {
    if (!waiting.has(name)) continue;
    const value = waiting.get(name);
    waiting.delete(name);
    if (!SAVED_TYPES.has(field.type) || field.readOnly || field.value === value) continue;
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  return waiting.size > 0;
}
