// Documents recognized in the user's sent mail, and their review.

import { get, patch } from "../api.js";
import { announce, fill, h, one, toast } from "../dom.js";
import { scrollToCurrentTab } from "../tabs.js";
import { number, t, time, tn } from "../i18n.js";

const ITEMS = 10;

const methods = () => ({
  link_exact: t("by a link to it"),
  attachment_hash: t("by an attachment with the same text"),
  attachment_id: t("by an attachment that is the same file"),
  filename_size: t("by an attachment with the same name and size"),
  content_similarity: t("by an attachment with nearly the same text"),
});

export async function mount(place) {
  const view = { status: "candidate", page: 1 };
  const list = h("div");
  const tabs = h("div", { class: "seg", role: "group", "aria-label": t("Filter documents") });
  const names = { candidate: t("To review"), confirmed: t("Confirmed"), dismissed: t("Dismissed"), "": t("All") };
  const show = async () => {
    const path = `/egress/events/?page=${view.page}&items=${ITEMS}${view.status && `&status=${view.status}`}`;
    view.latest = path;
    const found = await get(path);
    // The user has chosen another list in the meantime.
    if (view.latest !== path) return found.count;
    fill(tabs, Object.entries(names).map(([status, name]) => h("button", { type: "button", "aria-pressed": String(status === view.status), onclick: () => changeView({ status, page: 1 }) }, name)));
    fill(list, found.results.length ? [h("ul", { class: "item-list documents" }, found.results.map((event) => line(event, decide))), pager(found, view, changeView)] : h("p", { class: "empty-state" }, emptyMessage(view)));
    return found.count;
  };
  const changeView = async (change) => {
    Object.assign(view, change);
    try {
      announce(tn("1 document", "{n} documents", await show()));
      one("[aria-pressed=true]", tabs)?.focus();
    } catch (error) {
      toast(error.message, { bad: true });
    }
  };
  const decide = (event, status) => async ({ currentTarget: button }) => {
    button.disabled = true;
    try {
      await patch(`/egress/events/${event.event_id}/`, { status });
      toast(status === "confirmed" ? t("Confirmed as sent outside") : t("Dismissed as a different document"));
      await changeView({});
    } catch (error) {
      button.disabled = false;
      toast(error.message, { bad: true });
    }
  };
  document.addEventListener("tributary:egress", () => changeView({ page: 1 }));
  // If there is nothing to review, all documents are shown.
  if (!(await show())) {
    view.status = "";
    await show();
  }
  fill(place, tabs, list);
  scrollToCurrentTab(tabs);
}

function line(event, decide) {
  const title = event.signal_title || t("Untitled");
  const [kind, word] = { confirmed: ["", t("confirmed")], dismissed: ["quiet", t("dismissed")], candidate: ["warn", t("to review")] }[event.status] ?? ["", event.status];
  const about = [time(event.sent_at), methods()[event.match_method] ?? event.match_method, t("{n}% certain", { n: number(Math.round(event.confidence * 100)) })];
  const button = (status, name, label) => event.status !== status && h("button", { type: "button", class: "soft small", "aria-label": label, onclick: decide(event, status) }, name);
  return h("li", { "data-event": event.event_id },
    h("div", null,
      h("p", { class: "line" }, h("b", null, title), h("span", { class: `badge ${kind}` }, word), event.signal_id === null && h("span", { class: "faint" }, t("no longer in the cache"))),
      h("p", { class: "chosen" }, t("to"), " ", h("span", { class: "domains" }, event.external_domains.join(", "))),
      h("p", { class: "meta num" }, about.map((part) => h("span", null, part)))),
    h("div", { class: "buttons" }, button("confirmed", t("Confirm"), t("Confirm {title}", { title })), button("dismissed", t("Dismiss"), t("Dismiss {title}", { title }))));
}

function pager({ count, previous, next }, { page }, turn) {
  if (!previous && !next) return null;
  return h("nav", { class: "buttons", "aria-label": t("Pages of documents") },
    h("button", { type: "button", class: "soft small", disabled: !previous, onclick: () => turn({ page: page - 1 }) }, t("Previous")),
    h("span", { class: "muted num" }, t("Page {page} of {pages}", { page: number(page), pages: number(Math.ceil(count / ITEMS)) })),
    h("button", { type: "button", class: "soft small", disabled: !next, onclick: () => turn({ page: page + 1 }) }, t("Next")));
}

const emptyMessage = ({ status }) =>
  status === "candidate" ? t("Nothing to review.") : t("No documents found so far. Scan your sent mail to look for them.");
