// Records that tests create with the API: sources that are not searched by default, and finished searches.

import { admin, api, app } from "./app.mjs";

let count = 0;

const MAPPINGS = "title=title,body=body,url=url,author=author,date_published=date,extra,NO_PAYLOAD";

/** Creates a provider for a source of sources.mjs. Only searches that name it query it. Returns the record. */
export async function createSource(path, fields = {}) {
  const name = fields.name ?? `Brook ${process.pid}-${++count} ${path.split("?")[0].split("/").pop()}`;
  const separator = path.includes("?") ? "&" : "?";
  return api("POST", "/svc/searchproviders/", {
    name,
    connector: "RequestsGet",
    url: `${app.sources}${path}`,
    query_template: `{url}${separator}q={query_string}`,
    response_mappings: "FOUND=total,RESULTS=items",
    result_mappings: MAPPINGS,
    results_per_query: 20,
    active: true,
    shared: true,
    default: false,
    ...fields,
  });
}

/** Opens a latch of sources.mjs. */
export const openLatch = (latch) => fetch(`${app.sources}/latch/${latch}`, { method: "PUT" });

/** A unique name for a latch or a record. */
export const uniqueName = (what) => `${what}-${process.pid}-${++count}`;

const FINISHED = /READY$|^ERR|NO_RESULTS|^FULL|^PARTIAL/;
const SEARCH_MS_MAX = 40_000;

/** Creates a search and waits until it has finished. Returns the search. */
export async function runSearch(query, { as = admin, sources = undefined, ...fields } = {}) {
  const searchprovider_list = sources?.map((one) => one.id ?? one);
  const body = { query_string: query, ...fields, ...(sources && { searchprovider_list }) };
  const { id } = await api("POST", "/svc/search/", body, { as });
  return waitForSearch(id, as);
}

export async function waitForSearch(id, as = admin) {
  for (const end = Date.now() + SEARCH_MS_MAX; Date.now() < end; ) {
    const search = await api("GET", `/svc/search/${id}/`, undefined, { as });
    if (FINISHED.test(search.status)) return search;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`search ${id} did not finish`);
}
