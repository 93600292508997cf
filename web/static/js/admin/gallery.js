// Gallery of ready-made sources: fill in the missing values, test, save.

import { get } from "../api.js";
import { fill, h, toast } from "../dom.js";
import { langOf, loadCatalog, t, tc, tn } from "../i18n.js";
import { SaveForm } from "./doctor/save.js";
import { errorMessage, loadInto, work } from "./components.js";
import { face } from "./face.js";
import { withCode } from "./records/format.js";

/** Maximum number of tags with a button; the others can be found with the filter. */
const TAGS_MAX = 24;

let sources = [];
const chosen = new Set();
const filter = h("input", { type: "search", autocomplete: "off" });
const onlyOpen = h("input", { type: "checkbox", class: "switch", role: "switch" });
const chips = h("div", { class: "chips", role: "group", "aria-label": t("Tags") });
const count = h("p", { class: "muted", role: "status" });
const list = h("ul", { class: "ready" });
const place = h("div");
fill(work(), h("p", { class: "lead muted" }, t("Preconfigured sources. Yours is not listed?"), " ", h("a", { href: "/admin/doctor/" }, t("Add a source"))), place);
filter.addEventListener("input", draw);
onlyOpen.addEventListener("change", draw);
await loadCatalog();
loadInto(place, "/readysources/", (answer) => {
  sources = answer;
  fill(chips, tags().map((tag) => h("button", { type: "button", "aria-pressed": "false", onclick: (event) => press(event.currentTarget, tag) }, tag)));
  draw();
  return [h("div", { class: "tools" }, h("label", { class: "grow" }, t("Filter by name, tag or description"), filter),
    h("label", { class: "toggle" }, onlyOpen, h("span", {}, t("Only sources that need no setup")))), chips, count, list];
});

function tags() {
  const counts = new Map();
  for (const source of sources) for (const tag of source.tags) if (tag !== "NoKey" && !tag.includes(":")) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].filter(([, n]) => n > 1).sort((one, other) => other[1] - one[1]).slice(0, TAGS_MAX).map(([tag]) => tag);
}

function press(button, tag) {
  const isOn = !chosen.delete(tag) && Boolean(chosen.add(tag));
  button.setAttribute("aria-pressed", String(isOn));
  draw();
}

function draw() {
  const wanted = filter.value.trim().toLowerCase();
  const found = sources.filter((one) =>
    (!onlyOpen.checked || !one.needs.length) && [...chosen].every((tag) => one.tags.includes(tag)) &&
    `${one.name} ${one.description} ${tc(one.description)} ${one.connector} ${one.tags.join(" ")}`.toLowerCase().includes(wanted));
  count.textContent = found.length ? tn("One source", "{n} sources", found.length) : t("No matching sources. Remove a filter, or add the source by its URL.");
  fill(list, found.map(item));
}

function item(source) {
  const needs = source.needs.length ? t("needs {what}", { what: [...new Set(source.needs.map(describeNeed))].join(", ") }) : t("no setup needed");
  return h("li", {}, h("h2", {}, face(source.name, sources.indexOf(source)), source.name), h("p", { lang: langOf(source.description) }, withCode(tc(source.description))),
    h("div", { class: "ready-foot" },
      h("span", { class: "badges" }, h("span", { class: source.needs.length ? "badge warn" : "badge" }, needs), h("span", { class: "badge quiet" }, source.connector)),
      h("button", { type: "button", class: "soft small", onclick: (event) => use(source, event.currentTarget) }, t("Use"), h("span", { class: "visually-hidden" }, ` ${source.name}`))));
}

/** What the user needs for a field that is missing. */
function describeNeed(name) {
  if (name === "credentials" || name === "http_request_headers") return t("a key");
  if (name === "authenticator") return t("a connected account");
  if (name === "url") return t("a URL");
  if (name === "ai_model") return t("AI model");
  return t("details of your data");
}

async function use(source, button) {
  button.disabled = true;
  try {
    const record = await get(`/readysources/${encodeURIComponent(source.slug)}/`);
    const saveForm = new SaveForm(record, { query: "" });
    const close = h("button", { type: "button", class: "plain", onclick: () => dialog.close() }, t("Close"));
    const needsAccount = source.needs.includes("authenticator") && h("p", { class: "note" }, t("Each user connects their own account. Set up the authenticator first."), " ", h("a", { href: "/admin/authenticators/" }, t("Authenticators")));
    const dialog = h("dialog", { class: "use", "aria-labelledby": "use-title", onclose: () => { dialog.remove(); button.focus(); } },
      h("div", { class: "work-head" }, h("h2", { id: "use-title" }, source.name), close), h("p", { class: "muted", lang: langOf(source.description) }, withCode(tc(source.description))), needsAccount, saveForm.element);
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("input").focus();
  } catch (error) {
    toast(errorMessage(error), { bad: true });
  } finally {
    button.disabled = false;
  }
}
