// Rows of a list: paged by the API, or the whole list searched in the browser.

import { prefix, send } from "../../api.js";
import { resource } from "./resource.js";

/** Rows on one page. */
export const ITEMS = 50;

/** Loads the matching rows of a page: `{rows, count, isCut}` for `{text, filters, page}`. */
export async function loadRows({ text, filters, page }, signal) {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ""));
  if (!resource.is_paged) return searchInBrowser(query, text, page, signal);
  if (text) query.set("text", text);
  query.set("page", String(page));
  query.set("items", String(ITEMS));
  const response = await send("GET", `${prefix}${resource.api}?${query}`, undefined, { signal });
  const answer = await response.json();
  return { rows: answer.results, count: answer.count, isCut: false };
}

async function searchInBrowser(query, text, page, signal) {
  const response = await send("GET", `${prefix}${resource.api}?${query}`, undefined, { signal });
  const all = await response.json();
  const total = Number(response.headers.get("x-total-count") ?? all.length);
  const wanted = text.toLowerCase();
  const fits = (row) => resource.columns.some((column) => String(row[column.field] ?? "").toLowerCase().includes(wanted));
  const found = wanted ? all.filter(fits) : all;
  return { rows: found.slice((page - 1) * ITEMS, page * ITEMS), count: found.length, isCut: total > all.length };
}
