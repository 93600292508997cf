// What the palette finds: pages of the console, sources and settings.

import { get } from "../../api.js";
import { all, one } from "../../dom.js";
import { loadCatalog, t, tc } from "../../i18n.js";
import { rank } from "./rank.js";

const PAGES_MAX = 40;
const SOURCES_MAX = 8;
const SETTINGS_MAX = 8;

/** The pages, as the server has rendered them; a page that is named like its section has no detail. */
const pages = all("a", one("#console-pages").content).map((link) => {
  const { section } = link.dataset;
  return { name: link.textContent, detail: section === link.textContent ? "" : section, href: link.getAttribute("href") };
});

let settings;

/** All settings. They are loaded once; after an error, again. */
function loadSettings() {
  settings ??= Promise.all([get("/settings/"), loadCatalog()]).then(([rows]) => rows.map((row) => ({
    name: row.name, detail: tc(row.meaning).replaceAll("`", ""), href: `/admin/settings/?text=${encodeURIComponent(row.name)}`,
  }))).catch(() => {
    settings = undefined;
    return [];
  });
  return settings;
}

/** The sources that the service finds by this text. Without a text there are none: a list may have thousands. */
async function findSources(text, signal) {
  if (!text) return [];
  const query = new URLSearchParams({ text, page: "1", items: String(SOURCES_MAX) });
  const { results } = await get(`/searchproviders/?${query}`, { signal });
  return results.map((row) => ({ name: row.name, detail: row.connector, href: `/admin/searchproviders/${row.id}/` }));
}

/** The groups of matching entries: `{title, entries}`, without empty ones. */
export async function findEntries(text, signal) {
  const isEmpty = !text.trim();
  const [sources, all] = await Promise.all([findSources(text.trim(), signal).catch(throwIfAborted), isEmpty ? [] : loadSettings()]);
  return [
    { title: t("Pages"), entries: rank(pages, text, PAGES_MAX) },
    { title: t("Sources"), entries: sources },
    { title: t("Settings"), entries: rank(all, text, SETTINGS_MAX) },
  ].filter((group) => group.entries.length);
}

/** If the sources cannot be loaded, the other entries are shown. */
function throwIfAborted(error) {
  if (error.name === "AbortError") throw error;
  return [];
}
