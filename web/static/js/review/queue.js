// Review queue: open and decided elections, and pins.

import { get } from "../api.js";
import { announce, fill, h, one, toast } from "../dom.js";
import { externalLink } from "../externals.js";
import { scrollToCurrentTab } from "../tabs.js";
import { scopeText, unpin } from "../versions/actions.js";
import { reasons, status } from "../versions/names.js";
import { number, t, time, tn } from "../i18n.js";

const ITEMS = 20;
const TYPING_MS = 250;
/** The lists of the page: elections by status, and pins. */
const SHOWS = {
  open: { status: "open" },
  approved: { status: "approved" },
  rejected: { status: "rejected" },
  all: {},
  pins: { isPins: true },
};

const main = one("#main");
const isCurator = main.dataset.curator !== undefined;
const names = { open: t("Waiting"), approved: t("Approved"), rejected: t("Rejected"), all: t("All"), pins: t("Pinned") };
const shows = Object.keys(SHOWS).filter((show) => isCurator || show !== "pins");
let view = viewFromUrl();
let request = new AbortController();

const tabs = h("nav", { class: "seg", "aria-label": t("Filter elections") });
const filter = h("input", { type: "search", maxlength: 1000, value: view.query });
const rows = h("div", { class: "rows" });
const pages = h("nav", { class: "pages", "aria-label": t("Pages") });
fill(one("#work"), h("div", { class: "toolbar" }, tabs, filter), rows, pages);

let typing;
filter.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => go({ query: filter.value.trim(), page: 1 }, true), TYPING_MS);
});
addEventListener("popstate", () => {
  view = viewFromUrl();
  filter.value = view.query;
  load();
});
load();

function viewFromUrl() {
  const parameters = new URLSearchParams(location.search);
  const show = parameters.get("show");
  const page = Number.parseInt(parameters.get("page") ?? "1", 10);
  return { show: shows.includes(show) ? show : "open", query: parameters.get("query") ?? "", page: page > 0 ? page : 1 };
}

function urlOf({ show, query, page }) {
  const parameters = new URLSearchParams();
  if (show !== "open") parameters.set("show", show);
  if (query) parameters.set("query", query);
  if (page > 1) parameters.set("page", page);
  return parameters.size ? `/review/?${parameters}` : "/review/";
}

function go(change, replaces = false) {
  view = { ...view, ...change };
  history[replaces ? "replaceState" : "pushState"](null, "", urlOf(view));
  return load();
}

async function load() {
  request.abort();
  request = new AbortController();
  drawTabs();
  const { status: state, isPins } = SHOWS[view.show];
  const parameters = new URLSearchParams({ page: String(view.page), items: String(ITEMS) });
  for (const [name, value] of Object.entries({ status: state, query: view.query })) if (value) parameters.set(name, value);
  try {
    const found = await get(`/canonical/${isPins ? "pins/" : ""}?${parameters}`, { signal: request.signal });
    drawPages(found.count);
    if (!found.results.length) fill(rows, h("p", { class: "empty-state" }, emptyMessage()));
    else fill(rows, h("ul", { class: "runs-list" }, found.results.map(isPins ? pinRow : electionRow)));
    announce(isPins ? tn("1 pin", "{n} pins", found.count) : tn("1 election", "{n} elections", found.count));
  } catch (error) {
    if (error.name !== "AbortError") fill(rows, h("p", { class: "alert", role: "alert" }, error.message));
  }
}

function drawTabs() {
  filter.ariaLabel = filter.placeholder = SHOWS[view.show].isPins ? t("Exact query") : t("Filter by query");
  if (document.activeElement !== filter) filter.value = view.query;
  const link = (show) => {
    // Elections are filtered by words of the query, pins by the exact query.
    const isSameKind = Boolean(SHOWS[show].isPins) === Boolean(SHOWS[view.show].isPins);
    const target = { query: isSameKind ? view.query : "", show, page: 1 };
    const follow = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(target).then(() => one("[aria-current]", tabs).focus());
    };
    return h("a", { href: urlOf(target), "aria-current": show === view.show ? "page" : null, onclick: follow }, names[show]);
  };
  fill(tabs, shows.map(link));
  scrollToCurrentTab(tabs);
}

function electionRow(run) {
  const [kind, words] = status(run.status);
  const title = run.winner?.title || run.winner?.url || t("Untitled");
  const about = [
    scopeText(run.scope),
    tn("1 version", "{n} versions", run.size),
    run.margin > 0 ? t("ahead by {margin}", { margin: number(run.margin) }) : t("no other eligible version"),
    run.decided_by && t("decided by {user}", { user: run.decided_by }),
    run.reject_reason && reasons()[run.reject_reason],
  ];
  return h(
    "li",
    { class: "run-row", "data-run": run.run_id },
    h("div", null,
      h("p", { class: "line" }, h("a", { class: "query", href: `/review/${run.run_id}/` }, run.query), h("span", { class: `badge ${kind}` }, words)),
      h("p", { class: "chosen" }, t("Selected:"), " ", h("b", null, title)),
      h("p", { class: "meta num" }, h("time", { datetime: run.created_at }, time(run.created_at)), about.filter(Boolean).map((part) => h("span", null, part)))),
  );
}

function pinRow(pin) {
  const title = pin.title || t("Document {id}", { id: pin.signal_id });
  const about = [scopeText(pin.scope), pin.pinned_by && t("pinned by {user}", { user: pin.pinned_by }), pin.via === "approval" && t("by approving an election")];
  const onUnpin = async ({ currentTarget: button }) => {
    button.disabled = true;
    try {
      await unpin(pin.signal_id, pin.query);
      toast(t("Unpinned for “{query}”", { query: pin.query }));
      await load();
      one("[aria-current]", tabs).focus();
    } catch (error) {
      button.disabled = false;
      toast(error.message, { bad: true });
    }
  };
  return h(
    "li",
    { class: "run-row", "data-pin": pin.id },
    h("div", null,
      h("p", { class: "line" }, h("span", { class: "query" }, pin.query), h("span", { class: "badge pin" }, t("Pinned"))),
      h("p", { class: "chosen" }, externalLink(pin.url ?? "", title)),
      h("p", { class: "meta num" }, h("time", { datetime: pin.pinned_at }, time(pin.pinned_at)), about.filter(Boolean).map((part) => h("span", null, part)), pin.run_id && h("a", { href: `/review/${pin.run_id}/` }, t("Election")))),
    h("button", { type: "button", class: "soft small", "aria-label": t("Unpin for {query}", { query: pin.query }), onclick: onUnpin }, t("Unpin")),
  );
}

function drawPages(count) {
  const last = Math.max(1, Math.ceil(count / ITEMS));
  const step = (page, name) => h("button", { type: "button", class: "soft", disabled: page < 1 || page > last, onclick: () => go({ page }) }, name);
  const where = t("Page {page} of {last}", { page: number(view.page), last: number(last) });
  fill(pages, last > 1 && [step(view.page - 1, t("Previous")), h("span", { class: "muted num" }, where), step(view.page + 1, t("Next"))]);
}

function emptyMessage() {
  if (view.query) return view.show === "pins" ? t("Nothing is pinned for this query.") : t("No matching elections.");
  if (view.show === "pins") return t("Nothing is pinned yet. Curators pin results on the search page or by approving an election.");
  if (view.show === "open") return t("Nothing to review. An election is held when a search finds several versions of a cached document.");
  return t("No elections yet.");
}
