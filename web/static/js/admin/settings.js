// Settings page, read-only: value, origin and description.

import { fill, h } from "../dom.js";
import { langOf, loadCatalog, t, tc, tn } from "../i18n.js";
import { segments, loadInto, table, work } from "./components.js";
import { withCode } from "./records/format.js";

let settings = [];
let which = "all";
const list = h("div", {});
const count = h("p", { class: "muted", role: "status" });
/** The command palette links to a setting. */
const filter = h("input", { type: "search", autocomplete: "off", value: new URLSearchParams(location.search).get("text") ?? "" });
const place = h("div");
filter.addEventListener("input", draw);
fill(work(), h("p", { class: "lead muted" }, t("Settings are read at startup from the environment, the configuration file, or the defaults. Change them there and restart the service.")), place);
await loadCatalog();
loadInto(place, "/settings/", (answer) => {
  settings = answer;
  draw();
  return [h("div", { class: "tools" }, h("label", { class: "grow" }, t("Filter by name or description"), filter),
    segments(t("Show"), [["all", t("All")], ["set", t("Customized")]], "all", (value) => { which = value; draw(); })), count, list];
});

function draw() {
  const wanted = filter.value.trim().toLowerCase();
  const found = settings.filter((one) => (which === "all" || one.origin !== "default") && `${one.name} ${one.meaning} ${tc(one.meaning)}`.toLowerCase().includes(wanted));
  count.textContent = tn("One setting", "{n} settings", found.length);
  fill(list, table(t("Settings"), [
    { title: t("Name"), cell: (one) => [h("code", {}, one.name), h("div", { class: "faint" }, tc(one.kind))] },
    { title: t("Value"), cell: (one) => [value(one.value), one.origin !== "default" && h("div", { class: "faint" }, t("default:"), " ", value(one.default))] },
    { title: t("Origin"), cell: (one) => h("span", { class: one.origin === "default" ? "badge quiet none" : "badge" }, tc(one.origin)) },
    { title: t("Description"), cell: (one) => h("span", { lang: langOf(one.meaning) }, withCode(tc(one.meaning))) },
  ], found, t("No matching settings."), { isStacked: true }));
}

function value(one) {
  if (one === "" || one === null || one === undefined) return h("i", { class: "faint" }, t("empty"));
  return h("code", {}, typeof one === "string" ? one : JSON.stringify(one));
}
