// "Save as new": an unused name, without masked secrets.

import { ApiError, post } from "../../api.js";
import { resource } from "./resource.js";

const MASK = "••••";
/** Names that are tried: copy, copy 2, copy 3 … */
const COPIES_MAX = 50;

/** The value without masked secrets; undefined if it is one itself. */
export function removeMasked(value) {
  if (typeof value === "string") return value.includes(MASK) ? undefined : value;
  if (Array.isArray(value)) return value.map(removeMasked).filter((one) => one !== undefined);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, removeMasked(one)]).filter(([, one]) => one !== undefined));
}

/** `Library copy`, then `Library copy 2`; a copy of a copy continues the count. */
export function copyName(name, count) {
  const { mark, gap } = resource.permissions.copy;
  const at = name.lastIndexOf(mark);
  const isCopy = at > 0 && /^(\D?\d+)?$/.test(name.slice(at + mark.length));
  const stem = isCopy ? name.slice(0, at) : name;
  return `${stem}${mark}${count > 1 ? `${gap}${count}` : ""}`;
}

/** Creates the copy with the first unused name; a name that the user has changed is used as it is. */
export async function saveCopy(values, original) {
  const { field } = resource.permissions.copy;
  const clean = removeMasked(values);
  if (clean[field] !== original[field]) return post(resource.api, clean);
  for (let count = 1; ; count += 1) {
    try {
      return await post(resource.api, { ...clean, [field]: copyName(original[field], count) });
    } catch (error) {
      const isTaken = error instanceof ApiError && error.status === 409;
      if (!isTaken || count >= COPIES_MAX) throw error;
    }
  }
}
