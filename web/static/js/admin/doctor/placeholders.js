// Placeholders of a provider that the user fills in: `YOUR_KEY` for secrets, `<your-host>` for hosts.

const PLACEHOLDER = /<your[^<>]{0,80}>|YOUR_[A-Z_]+/g;
const SECRET = /key|token|password|secret|credential/i;
/** Fields that are only shown to users. */
const TEXT_FIELDS = new Set(["name", "description", "tags"]);

/** Every placeholder once: `{key, label, isSecret}`. */
export function findPlaceholders(spec) {
  const found = new Map();
  walk(spec, [], (key, token, label) => {
    if (!found.has(key)) found.set(key, { key, label, isSecret: SECRET.test(token) || SECRET.test(label) });
    return token;
  });
  return [...found.values()];
}

/** The spec with placeholders replaced that have a value. `values` is a Map by key. */
export const fillPlaceholders = (spec, values) => walk(spec, [], (key, token) => values.get(key)?.trim() || token);

/** The value of a placeholder in a pasted request, so that the user need not enter it again. */
export function valueFromRequest(request, label) {
  const name = label.replace(/[^\w-]/g, "");
  if (!name) return "";
  const header = new RegExp(`['"\\s]${name}:\\s*(?:(?:Bearer|Basic|Token|ApiKey)\\s+)?([^'"\\s]+)`, "i").exec(request);
  const parameter = new RegExp(`[?&]${name}=([^&'"\\s]+)`, "i").exec(request);
  if (parameter) return decode(parameter[1]);
  if (header) return header[1];
  const bearer = /authorization:\s*bearer\s+([^'"\s]+)/i.exec(request);
  return name === "bearer" && bearer ? bearer[1] : "";
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function walk(value, place, replace) {
  if (typeof value === "string") return value.replace(PLACEHOLDER, (token, offset, whole) => replace(...describePlaceholder(place, token, whole.slice(0, offset))));
  if (Array.isArray(value)) return value.map((item) => walk(item, place, replace));
  if (!value || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([name, item]) => {
    if (!place.length && TEXT_FIELDS.has(name)) return [name, item];
    return [name, walk(item, [...place, name], replace)];
  });
  return Object.fromEntries(entries);
}

/** A placeholder such as a host has one value everywhere; a secret belongs to its parameter or header. */
function describePlaceholder(place, token, before) {
  const label = token.replace(/^<your[- ]?|>$/g, "").replace(/^YOUR_/, "").replace(/[_-]/g, " ").toLowerCase().trim();
  if (place[0] === "http_request_headers") return [`header ${place[1]}`, token, place[1] ?? label];
  const parameter = place[0] === "credentials" && /(?:^|,)\s*([\w.-]+)=$/.exec(before);
  if (parameter) return [`credentials ${parameter[1]}`, token, parameter[1]];
  return [token, token, label];
}
