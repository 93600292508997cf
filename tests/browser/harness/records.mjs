// Records that tests add by the API: sources that are asked only when they are named, searches that have ended.

import { admin, api, app } from "./app.mjs";

let made = 0;

const MAPPINGS = "title=title,body=body,url=url,author=author,date_published=date,extra,NO_PAYLOAD";

/** Adds a source of sources.mjs under a name of its own. Only a search that names it asks it. Returns the record. */
export async function source(path, given = {}) {
  const name = given.name ?? `Brook ${process.pid}-${++made} ${path.split("?")[0].split("/").pop()}`;
  const joint = path.includes("?") ? "&" : "?";
  return api("POST", "/svc/searchproviders/", {
    name,
    connector: "RequestsGet",
    url: `${app.sources}${path}`,
    query_template: `{url}${joint}q={query_string}`,
    response_mappings: "FOUND=total,RESULTS=items",
    result_mappings: MAPPINGS,
    results_per_query: 20,
    active: true,
    shared: true,
    default: false,
    ...given,
  });
}

/** Opens or closes a latch of sources.mjs. */
export const openLatch = (latch) => fetch(`${app.sources}/latch/${latch}`, { method: "PUT" });

/** A name for a latch, or anything else, that nobody else uses. */
export const unique = (what) => `${what}-${process.pid}-${++made}`;

const ENDED = /READY$|^ERR|NO_RESULTS|^FULL|^PARTIAL/;
const SEARCH_MS_MAX = 40_000;

/** Runs a search to its end; returns it. */
export async function searched(query, { as = admin, sources = undefined, ...given } = {}) {
  const searchprovider_list = sources?.map((one) => one.id ?? one);
  const body = { query_string: query, ...given, ...(sources && { searchprovider_list }) };
  const { id } = await api("POST", "/svc/search/", body, { as });
  return ended(id, as);
}

export async function ended(id, as = admin) {
  for (const end = Date.now() + SEARCH_MS_MAX; Date.now() < end; ) {
    const search = await api("GET", `/svc/search/${id}/`, undefined, { as });
    if (ENDED.test(search.status)) return search;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`search ${id} did not end`);
}
