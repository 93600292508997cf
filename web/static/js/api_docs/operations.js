// The operations of an OpenAPI document, grouped by tag.

import { lookUp } from "./schema.js";

/** The order of the methods of a path. */
const METHODS = ["get", "post", "put", "patch", "delete", "head", "options"];
/** Methods that change nothing. */
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
/** The prefix of the paths in the document. The page uses the prefix under which it was opened. */
const DECLARED_PREFIX = "/svc/";

/**
 * @typedef {{ id: string, method: string, path: string, tag: string, summary: string, description: string,
 *   parameters: any[], body: any, responses: [string, any][], security: string[], isSafe: boolean,
 *   isDeprecated: boolean }} Operation
 * @typedef {{ name: string, description: string, operations: Operation[] }} Group
 */

/**
 * @param {any} source the OpenAPI document
 * @returns {Group[]}
 */
export function readGroups(source, prefix) {
  const groups = new Map((source.tags ?? []).map(({ name, description }) => [name, { name, description: description ?? "", operations: [] }]));
  for (const [path, item] of Object.entries(source.paths ?? {})) {
    for (const method of METHODS.filter((one) => item[one])) {
      const operation = readOperation(source, prefix, path, method, item);
      if (!groups.has(operation.tag)) groups.set(operation.tag, { name: operation.tag, description: "", operations: [] });
      groups.get(operation.tag).operations.push(operation);
    }
  }
  return [...groups.values()].filter((group) => group.operations.length);
}

/** @returns {Operation} */
function readOperation(source, prefix, path, method, item) {
  const operation = item[method];
  const resolved = (value) => (value?.$ref ? lookUp(source, value.$ref) : value);
  return {
    id: operation.operationId ?? `${method}${path.replace(/\W+/g, "_")}`,
    method: method.toUpperCase(),
    path: path.startsWith(DECLARED_PREFIX) ? `${prefix}/${path.slice(DECLARED_PREFIX.length)}` : path,
    tag: operation.tags?.[0] ?? "",
    summary: operation.summary ?? "",
    description: operation.description ?? "",
    parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolved).filter(Boolean),
    body: resolved(operation.requestBody) ?? null,
    responses: Object.entries(operation.responses ?? {}).map(([status, response]) => [status, resolved(response) ?? {}]),
    security: [...new Set((operation.security ?? source.security ?? []).flatMap(Object.keys))],
    isSafe: SAFE_METHODS.has(method.toUpperCase()),
    isDeprecated: operation.deprecated === true,
  };
}

/**
 * The groups with the operations that contain every word, in their method, path, id or summary.
 * @param {Group[]} groups
 */
export function filterGroups(groups, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ method, path, id, summary }) => {
    const all = `${method} ${path} ${id} ${summary}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
  return groups.map((group) => ({ ...group, operations: group.operations.filter(matches) })).filter((group) => group.operations.length);
}

/** The types of the response bodies of a successful request. */
export function acceptedTypes(operation) {
  const found = operation.responses.filter(([status]) => status.startsWith("2")).flatMap(([, response]) => Object.keys(response.content ?? {}));
  return found.length ? [...new Set(found)] : ["application/json"];
}
