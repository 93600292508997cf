// Sort order, filters and pages without reloading. Without JavaScript, the links lead to the same lists.

import { send } from "../api.js";
import { all, announce, one, toast } from "../dom.js";
import { ask, follow, isRunning } from "./ask.js";
import { replace } from "./render.js";

const page = one("#page");
let current = null;

export function links() {
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const target = /** @type {Element} */ (event.target);
    /** @type {HTMLAnchorElement | null} */
    const again = target.closest("a[data-rerun]");
    /** @type {HTMLAnchorElement | null} */
    const link = target.closest("a[data-list]");
    if (again) {
      event.preventDefault();
      ask(new URLSearchParams({ rerun: again.dataset.rerun }));
    } else if (link) {
      event.preventDefault();
      go(link.href, { isPage: Boolean(link.closest(".pages")) });
    }
  });
  page.dataset.at = location.search;
  addEventListener("popstate", () => {
    // A link within the page changes nothing but the place.
    if (location.search === page.dataset.at) return;
    const asked = new URLSearchParams(location.search).get("search_id");
    if (asked && asked === page.dataset.search) go(location.href, { isBack: true });
    else location.reload();
  });
}

/** Shows the list of this address. */
export async function go(href, { isPage = false, isBack = false } = {}) {
  const { search } = new URL(href);
  if (!isBack) history.pushState(null, "", `/${search}`);
  page.dataset.at = search;
  for (const menu of all("#head details.menu[open]")) menu.open = false;
  if (isRunning()) return follow(page.dataset.search, search, { fresh: true });
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
