// The request of a filled form, and the equal curl command.

/**
 * Values by place and name, as typed; an empty one is not sent.
 * @typedef {{ path: Record<string, string>, query: Record<string, string>, header: Record<string, string>, body: string, accept: string }} Values
 * @typedef {{ method: string, url: string, headers: Record<string, string>, body: string | undefined }} RequestParts
 */

/** @returns {Values} */
export const noValues = () => ({ path: {}, query: {}, header: {}, body: "", accept: "application/json" });

/**
 * @param {import("./operations.js").Operation} operation
 * @param {Values} values
 * @returns {RequestParts}
 */
export function requestOf(operation, values) {
  const path = operation.path.replace(/\{([^}]+)\}/g, (whole, name) => (values.path[name] ? encodeURIComponent(values.path[name]) : whole));
  const query = Object.entries(values.query).filter(([, value]) => value !== "");
  const pairs = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  const headers = { accept: values.accept };
  const body = operation.body && values.body.trim() ? values.body : undefined;
  if (body !== undefined) headers["content-type"] = "application/json";
  for (const [name, value] of Object.entries(values.header)) if (value !== "") headers[name] = value;
  return { method: operation.method, url: pairs.length ? `${path}?${pairs.join("&")}` : path, headers, body };
}

/**
 * The names of the required values that are missing. A segment of dots would lead to another path.
 * @param {import("./operations.js").Operation} operation
 * @param {Values} values
 */
export function missingValues(operation, values) {
  const isMissing = ({ in: place, name, required }) => {
    const value = values[place]?.[name] ?? "";
    return place === "path" ? /^\.{0,2}$/.test(value) : required === true && value === "";
  };
  return operation.parameters.filter(isMissing).map(({ name }) => name);
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** The headers of curl: `accept` is written `Accept`. */
const titled = (name) => name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());

/**
 * The curl command of a request. Credentials are a placeholder.
 * @param {RequestParts} request
 * @param {string} origin
 * @param {boolean} needsToken
 */
export function curlOf({ method, url, headers, body }, origin, needsToken) {
  const first = method === "GET" ? "curl" : `curl -X ${method}`;
  const lines = [`${first} ${quoted(origin + url)}`];
  if (needsToken) lines.push(`-H ${quoted("Authorization: Token …")}`);
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoted(`${titled(name)}: ${value}`)}`);
  if (body !== undefined) lines.push(`-d ${quoted(body)}`);
  return lines.join(" \\\n  ");
}
