// The method of an operation, as a badge.

import { h } from "../dom.js";

export const methodBadge = (method) => h("span", { class: `method is-${method.toLowerCase()}` }, method);

/** A path in which its parameters stand out, and which breaks after a slash. */
export function pathText(path) {
  const parts = path.split(/(\{[^}]+\}|(?<=\/))/).filter(Boolean);
  const nodes = parts.map((part) => (part.startsWith("{") ? h("span", { class: "path-value" }, part) : part));
  return h("code", { class: "path" }, nodes.flatMap((node, place) => (place ? [h("wbr"), node] : [node])));
}
