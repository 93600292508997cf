// The list of operations, with a filter. On a phone it is folded.

import { all, announce, fill, h, one } from "../dom.js";
import { t, tn } from "../i18n.js";
import { methodBadge, pathText } from "./method_badge.js";
import { filterGroups } from "./operations.js";

const ANNOUNCE_MS = 600;

/**
 * Fills the navigation. `show` marks an operation as the current one, or the overview.
 * @param {HTMLElement} place
 * @param {import("./operations.js").Group[]} groups
 */
export function navigation(place, groups, prefix) {
  const input = h("input", { type: "search", id: "operation-filter", "aria-label": t("Filter operations"), placeholder: t("Filter operations"), autocomplete: "off", spellcheck: "false" });
  const list = h("div", { class: "operation-list" });
  let current = "";
  let timer;
  const draw = () => {
    const text = input.value.trim();
    const found = filterGroups(groups, text);
    fill(list, found.length ? found.map((group) => section(group, prefix, current, text !== "")) : h("p", { class: "muted" }, t("No matching operations.")));
    return found.reduce((count, group) => count + group.operations.length, 0);
  };
  input.addEventListener("input", () => {
    const count = draw();
    clearTimeout(timer);
    timer = setTimeout(() => announce(tn("1 operation", "{n} operations", count)), ANNOUNCE_MS);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") one("a", list)?.click();
  });
  document.addEventListener("keydown", (event) => focusFilter(event, input));
  const overview = h("a", { href: "#", class: "to-overview" }, t("Overview"));
  fill(place, input, overview, list);
  draw();
  return {
    show(id) {
      current = id;
      setCurrent(overview, !id);
      for (const link of all("a", list)) setCurrent(link, link.hash === `#${id}`);
      const link = one("a[aria-current]", list);
      if (!link) return;
      link.closest("details").open = true;
      scrollIntoList(link);
    },
  };
}

function section({ name, operations }, prefix, current, isOpen) {
  const link = (operation) =>
    h(
      "li",
      {},
      h(
        "a",
        { href: `#${operation.id}`, title: operation.summary, "aria-current": operation.id === current && "page" },
        methodBadge(operation.method),
        pathText(operation.path.startsWith(`${prefix}/`) ? operation.path.slice(prefix.length) : operation.path),
      ),
    );
  return h(
    "details",
    { open: isOpen || operations.some((operation) => operation.id === current) },
    h("summary", {}, h("span", { class: "group-name" }, name), h("span", { class: "num faint" }, String(operations.length))),
    h("ul", {}, operations.map(link)),
  );
}

function setCurrent(link, isCurrent) {
  if (isCurrent) link.setAttribute("aria-current", "page");
  else link.removeAttribute("aria-current");
}

/** Scrolls only the list, not the page. */
function scrollIntoList(link) {
  const box = link.closest(".operation-list");
  const [outer, inner] = [box.getBoundingClientRect(), link.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - outer.height / 3;
}

/** `/` moves to the filter, unless the user is typing. */
function focusFilter(event, input) {
  const isTyping = event.target.closest("input, textarea, select");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping || !input.checkVisibility()) return;
  event.preventDefault();
  input.focus();
}
