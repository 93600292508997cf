// Placeholders of a provider that the user fills in: `YOUR_KEY` for secrets, `<your-host>` for hosts.

const BLANK = /<your[^<>]{0,80}>|YOUR_[A-Z_]+/g;
const SECRET = /key|token|password|secret|credential/i;
/** Said to people only; nothing is sent from there. */
const SPOKEN = new Set(["name", "description", "tags"]);

/** Every blank once: `{key, label, isSecret}`. */
export function blanksOf(draft) {
  const found = new Map();
  walk(draft, [], (key, token, label) => {
    if (!found.has(key)) found.set(key, { key, label, isSecret: SECRET.test(token) || SECRET.test(label) });
    return token;
  });
  return [...found.values()];
}

/** The draft with the blanks that have a value filled in. `values` is a Map by key. */
export const filledIn = (draft, values) => walk(draft, [], (key, token) => values.get(key)?.trim() || token);

/** What a pasted request says for a blank, so that nobody types it twice. */
export function fromRequest(request, label) {
  const name = label.replace(/[^\w-]/g, "");
  if (!name) return "";
  const header = new RegExp(`['"\\s]${name}:\\s*(?:(?:Bearer|Basic|Token|ApiKey)\\s+)?([^'"\\s]+)`, "i").exec(request);
  const parameter = new RegExp(`[?&]${name}=([^&'"\\s]+)`, "i").exec(request);
  if (parameter) return unescaped(parameter[1]);
  if (header) return header[1];
  const bearer = /authorization:\s*bearer\s+([^'"\s]+)/i.exec(request);
  return name === "bearer" && bearer ? bearer[1] : "";
}

function unescaped(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function walk(value, place, replace) {
  if (typeof value === "string") return value.replace(BLANK, (token, offset, whole) => replace(...named(place, token, whole.slice(0, offset))));
  if (Array.isArray(value)) return value.map((item) => walk(item, place, replace));
  if (!value || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([name, item]) => {
    if (!place.length && SPOKEN.has(name)) return [name, item];
    return [name, walk(item, [...place, name], replace)];
  });
  return Object.fromEntries(entries);
}

/** A place is the same wherever it stands; a secret belongs to its parameter or header. */
function named(place, token, before) {
  const spoken = token.replace(/^<your[- ]?|>$/g, "").replace(/^YOUR_/, "").replace(/[_-]/g, " ").toLowerCase().trim();
  if (place[0] === "http_request_headers") return [`header ${place[1]}`, token, place[1] ?? spoken];
  const parameter = place[0] === "credentials" && /(?:^|,)\s*([\w.-]+)=$/.exec(before);
  if (parameter) return [`credentials ${parameter[1]}`, token, parameter[1]];
  return [token, token, spoken];
}
