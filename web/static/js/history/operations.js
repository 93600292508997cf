// API operations on an existing search.

import { del, get, patch } from "../api.js";

/** The tag of saved searches. */
export const SAVED = "saved";
/** The tag of subscribed searches with alerts. */
const ALERT = "alert";
/** The first tag of searches by the Assistant. */
const ASSISTANT = "chat";
/** Maximum number of concurrent deletions. */
const CONCURRENT_MAX = 4;

export const isByAssistant = (search) => search.tags[0] === ASSISTANT;
export const isSaved = (search) => search.tags.includes(SAVED);
export const hasAlerts = (search) => search.tags.includes(ALERT);

/** Adds a tag to a search, or removes it. Returns the updated search. */
function setTag(search, tag, isOn) {
  const others = search.tags.filter((one) => one !== tag);
  return patch(`/search/${search.id}/`, { tags: isOn ? [...others, tag] : others });
}

export const setSaved = (search, isOn) => setTag(search, SAVED, isOn);
export const setAlerts = (search, isOn) => setTag(search, ALERT, isOn);

export const setSubscribed = (search, isOn) => patch(`/search/${search.id}/`, { subscribe: isOn });
export const loadSearch = (id) => get(`/search/${id}/`);

/** Runs a search again. `update` keeps its results and marks new ones; `rerun` discards them. */
export async function run(search, mode) {
  try {
    await get(`/search/?${mode}=${search.id}`);
  } catch (error) {
    // The run takes longer than the request; the list shows when it has finished.
    if (error.status !== 503) throw error;
  }
}

/** How many results are marked as new. Only an update marks them. */
export async function countNew(search) {
  if (!/^(FULL|PARTIAL)_UPDATE_READY$/.test(search.status)) return 0;
  const { info } = await get(`/results/?search_id=${search.id}&new=true&facets=true&explain=false`);
  return info.facets?.new ?? 0;
}

/** Marks all results of a search as read. The list of its new results does that. */
export const markRead = (search) => get(`/results/${new URL(search.new_result_url).search}&mark_all_read=true`);

/** Deletes searches, a few at once. Returns how many could not be deleted. */
export async function remove(ids) {
  const waiting = [...ids];
  let failures = 0;
  const work = async () => {
    for (let id; (id = waiting.shift()) !== undefined; ) {
      await del(`/search/${id}/`).catch((error) => (failures += error.status === 404 ? 0 : 1));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_MAX }, work));
  return failures;
}
