// API operations on an existing search.

import { del, get, patch } from "../api.js";

/** The tag of a search that was saved. */
export const SAVED = "saved";
const NEW_ITEMS = "RelevancyNewItemsMixer";
/** Deletions on their way at once. */
const AT_ONCE = 4;

export const isSaved = (search) => search.tags.includes(SAVED);

/** Saves it or lets it go. Returns the search as it is now. */
export function save(search, isWanted) {
  const others = search.tags.filter((tag) => tag !== SAVED);
  return patch(`/search/${search.id}/`, { tags: isWanted ? [...others, SAVED] : others });
}

export const subscribe = (search, isWanted) => patch(`/search/${search.id}/`, { subscribe: isWanted });
export const read = (id) => get(`/search/${id}/`);

/** Asks the sources again. `update` keeps what is there and marks what is new; `rerun` starts afresh. */
export async function run(search, way) {
  try {
    await get(`/search/?${way}=${search.id}`);
  } catch (error) {
    // It takes longer than a browser should wait; the list shows when it is there.
    if (error.status !== 503) throw error;
  }
}

/** How many results are marked as new. Only an update marks them. */
export async function countNew(search) {
  if (!/^(FULL|PARTIAL)_UPDATE_READY$/.test(search.status)) return 0;
  const { info } = await get(`/results/?search_id=${search.id}&new=true&facets=true&explain=false`);
  return info.facets?.new ?? 0;
}

export const markRead = (id) => get(`/results/?search_id=${id}&result_mixer=${NEW_ITEMS}&mark_all_read=true`);

/** Deletes searches, a few at once. Returns how many could not be deleted. */
export async function remove(ids) {
  const waiting = [...ids];
  let failures = 0;
  const work = async () => {
    for (let id; (id = waiting.shift()) !== undefined; ) {
      await del(`/search/${id}/`).catch((error) => (failures += error.status === 404 ? 0 : 1));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failures;
}
