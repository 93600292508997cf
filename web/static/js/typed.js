// Restores typed input after the session has expired: kept in this tab while the user signs in again.

const KEY = "typed";
/** After this time nobody misses it. */
const KEPT_MS = 3600_000;
/** Forms are drawn by modules, so their fields may come later. */
const WAIT_MS = 10_000;
/** More than any form has. */
const FIELDS_MAX = 500;
const FIELDS = "input, textarea";
/** What is typed. Secrets are never kept, and switches stay as the service knows them. */
const TYPED = new Set(["text", "search", "email", "url", "tel", "number", "date", "datetime-local", "time", "textarea"]);

/** @type {(name: string) => string} */
const meta = (name) => /** @type {HTMLMetaElement} */ (document.querySelector(`meta[name="${name}"]`))?.content ?? "";
const here = () => location.pathname + location.search;
const isKept = (field) => TYPED.has(field.type) && !field.readOnly && field.value !== "";

/** What tells a field from others. An id that ends in a number is counted anew with every load. */
function nameOf(field) {
  const id = /\d$/.test(field.id) ? "" : field.id;
  const label = field.labels?.[0]?.textContent ?? "";
  const section = field.closest("section[id]")?.id ?? "";
  return JSON.stringify([section, field.form?.getAttribute("action") ?? "", field.form?.id ?? "", id, field.name, field.type, label]);
}

/**
 * Every field with a name that it has again after the next load: what tells it from others, and its place among equals.
 * @returns {Generator<[string, HTMLInputElement]>}
 */
function* named() {
  const counts = new Map();
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll(FIELDS))) {
    const name = nameOf(field);
    const place = counts.get(name) ?? 0;
    counts.set(name, place + 1);
    yield [`${name} ${place}`, field];
  }
}

/** Keeps the fields of this page. Without a place to keep them nothing happens. */
export function keepTyped() {
  const values = [];
  for (const [name, field] of named()) {
    if (isKept(field) && values.length < FIELDS_MAX) values.push([name, field.value]);
  }
  const kept = { path: here(), user: meta("user"), until: Date.now() + KEPT_MS, values };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Storage is full or switched off.
  }
}

/** Puts back what was kept for this page and this user, also into fields that appear in the next seconds. */
export function restoreTyped() {
  const kept = read();
  const user = meta("user");
  if (!kept || !user) return;
  const isOver = kept.user !== user || kept.until < Date.now();
  if (isOver || kept.path === here()) sessionStorage.removeItem(KEY);
  if (isOver || kept.path !== here()) return;
  const waiting = new Map(kept.values);
  put(waiting);
  const watcher = new MutationObserver(() => put(waiting) || watcher.disconnect());
  watcher.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => watcher.disconnect(), WAIT_MS);
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}

/** Fills the fields that are there; returns whether some are still missing. */
function put(waiting) {
  for (const [name, field] of named()) {
    if (!waiting.has(name)) continue;
    const value = waiting.get(name);
    waiting.delete(name);
    if (!TYPED.has(field.type) || field.readOnly || field.value === value) continue;
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  return waiting.size > 0;
}
