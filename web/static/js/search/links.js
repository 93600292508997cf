// Sort order, filters and pages without reloading. Without JavaScript, the links lead to the same lists.

import { send } from "../api.js";
import { all, announce, one, toast } from "../dom.js";
import { addressOf, startSearch, followSearch, isRunning } from "./stream.js";
import { replace } from "./render.js";

const page = one("#page");
let current = null;

export function handleLinks() {
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const target = /** @type {Element} */ (event.target);
    /** @type {HTMLAnchorElement | null} */
    const rerunLink = target.closest("a[data-rerun]");
    /** @type {HTMLAnchorElement | null} */
    const link = target.closest("a[data-list]");
    const previewButton = target.closest("[data-preview]");
    if (previewButton) {
      import("./preview.js").then(({ showPreview }) => showPreview(previewButton.closest(".result")));
    } else if (target.closest("[data-notify]")) {
      import("./notify.js").then(({ subscribe }) => subscribe(target.closest("[data-notify]")));
    } else if (target.closest("[data-all-sources]")) {
      event.preventDefault();
      searchAllSources();
    } else if (rerunLink) {
      event.preventDefault();
      startSearch(new URLSearchParams({ rerun: rerunLink.dataset.rerun }));
    } else if (link) {
      event.preventDefault();
      showListAt(link.href, { isPage: Boolean(link.closest(".pages, .better-place")) });
    }
  });
  if (page.dataset.search) history.replaceState(null, "", addressOf(location.search) + location.hash);
  page.dataset.at = location.search;
  addEventListener("popstate", () => {
    // A link within the page changes only the scroll position.
    if (location.search === page.dataset.at) return;
    const searchId = new URLSearchParams(location.search).get("search_id");
    if (searchId && searchId === page.dataset.search) showListAt(location.href, { isBack: true });
    else location.reload();
  });
}

/** The checkboxes of the filters apply at once. */
export function handleFilters() {
  const place = one("#facets");
  place.addEventListener("change", ({ target }) => target.name && showFiltered(target.form));
  place.addEventListener("submit", (event) => {
    event.preventDefault();
    showFiltered(event.target);
  });
  place.addEventListener("input", async ({ target }) => {
    if (target.matches("[data-find-source]")) (await import("./find_source.js")).findSource(target);
  });
}

const showFiltered = (form) => showListAt(new URL(`/?${new URLSearchParams(/** @type {any} */ (new FormData(form)))}`, location.href).href);

function searchAllSources() {
  const everything = one("#pick-all");
  if (!everything.checked) everything.click();
  one("#ask").requestSubmit();
}

/** Shows the list of a URL. */
export async function showListAt(href, { isPage = false, isBack = false } = {}) {
  const { search } = new URL(href);
  if (!isBack) history.pushState(null, "", addressOf(search));
  page.dataset.at = location.search;
  for (const menu of all("#head details.menu[open]")) menu.open = false;
  if (isRunning()) return followSearch(page.dataset.search, search, { fresh: true });
  current?.abort();
  const stop = new AbortController();
  current = stop;
  page.setAttribute("aria-busy", "true");
  try {
    const response = await send("GET", `/search/${page.dataset.search}/list/${search}`, undefined, { signal: stop.signal });
    const list = await response.json();
    if (stop.signal.aborted) return;
    replace(list);
    announce(one("#sum").textContent.trim());
    if (isPage) {
      scrollTo({ top: 0 });
      one(".result")?.focus({ preventScroll: true });
    }
  } catch (error) {
    if (!stop.signal.aborted) toast(error.message, { bad: true });
  } finally {
    if (current === stop) page.removeAttribute("aria-busy");
  }
}
