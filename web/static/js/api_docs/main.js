// API documentation, made in the browser from the OpenAPI document.

import { get, prefix } from "../api.js";
import { fill, h, one } from "../dom.js";
import { t } from "../i18n.js";
import { navigation } from "./navigation.js";
import { operationView } from "./operation_view.js";
import { readGroups } from "./operations.js";
import { overview } from "./overview.js";

const content = one("#api-content");
const list = one("#operations");
const toggle = one("#operations-toggle");
const title = document.title;

toggle.addEventListener("click", () => setOpen(toggle.getAttribute("aria-expanded") !== "true"));
load();

async function load() {
  content.setAttribute("aria-busy", "true");
  try {
    start(await get("/api/schema/"));
  } catch (error) {
    const again = h("button", { type: "button", class: "soft", onclick: load }, t("Try again"));
    fill(content, h("h1", {}, t("API")), h("p", { class: "alert", role: "alert" }, error.message), again);
  } finally {
    content.removeAttribute("aria-busy");
  }
}

/** @param {any} source the OpenAPI document */
function start(source) {
  const groups = readGroups(source, prefix);
  const operations = new Map(groups.flatMap((group) => group.operations).map((operation) => [operation.id, operation]));
  const nav = navigation(list, groups, prefix);
  const show = () => {
    const id = addressedId();
    const operation = operations.get(id);
    document.title = operation ? `${operation.method} ${operation.path} - ${title}` : title;
    fill(content, operation ? operationView(source, operation) : overview(source, groups, prefix));
    nav.show(operation ? id : "");
    return operation || !id ? null : document.getElementById(id);
  };
  show()?.scrollIntoView();
  addEventListener("hashchange", () => {
    // The link that skips the navigation.
    if (addressedId() === "main") return null;
    setOpen(false);
    const place = show();
    if (place) return place.scrollIntoView();
    scrollTo(0, 0);
    return one("h1", content).focus({ preventScroll: true });
  });
}

/** The id in the address. */
function addressedId() {
  const text = location.hash.slice(1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Shows or hides the list of operations on a narrow screen. */
function setOpen(isOpen) {
  toggle.setAttribute("aria-expanded", String(isOpen));
  list.classList.toggle("is-open", isOpen);
}
