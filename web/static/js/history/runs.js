// Runs of a search, and the differences between two of them.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { externalLink } from "../externals.js";
import { day, number, t, time, tn } from "../i18n.js";
import { describeStatus } from "./status.js";

/** Maximum number of results on each side of a comparison. */
const SHOWN_MAX = 50;

/** A panel that loads the runs of a search. */
export function runsPanel(search) {
  const panel = h("div", { class: "runs" }, h("p", { class: "faint" }, t("Loading…")));
  get(`/search/${search.id}/runs/`)
    .then((runs) => fill(panel, runs.length ? runsTable(search, runs) : h("p", { class: "muted" }, t("No runs recorded yet."))))
    .catch((error) => fill(panel, h("p", { class: "alert", role: "alert" }, error.message)));
  return panel;
}

function runsTable(search, runs) {
  const heads = [t("Run"), t("When"), t("Status"), t("Retrieved"), t("New"), t("Removed")];
  const table = h(
    "div",
    { class: "scroll", tabindex: 0, role: "group", "aria-label": t("Runs") },
    h(
      "table",
      { class: "list" },
      h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", null, runs.map(line)),
    ),
  );
  return runs.length > 1 ? [table, comparison(search, runs)] : [table, h("p", { class: "faint" }, t("Run the search again to compare runs."))];
}

function line(run) {
  const { kind, words } = describeStatus(run.status);
  return h(
    "tr",
    null,
    h("td", { class: "num" }, number(run.run)),
    h("td", { class: "num" }, time(run.date)),
    h("td", null, h("span", { class: `state ${kind}` }, words)),
    h("td", { class: "num" }, number(run.retrieved)),
    h("td", { class: "num" }, run.added ? h("span", { class: "plus" }, `+${number(run.added)}`) : "0"),
    h("td", { class: "num" }, run.gone ? h("span", { class: "minus" }, `−${number(run.gone)}`) : "0"),
  );
}

function comparison(search, runs) {
  const choice = (chosen) =>
    h("select", { value: chosen }, runs.map((run) => h("option", { value: run.run, selected: run.run === chosen }, `${number(run.run)} · ${time(run.date)}`)));
  const [from, to] = [choice(runs[1].run), choice(runs[0].run)];
  const place = h("div", { class: "diff", "aria-live": "polite" });
  const draw = async () => {
    try {
      const diff = await get(`/search/${search.id}/diff/?from=${from.value}&to=${to.value}`);
      fill(place, difference(diff));
    } catch (error) {
      fill(place, h("p", { class: "alert", role: "alert" }, error.message));
    }
  };
  for (const select of [from, to]) select.addEventListener("change", draw);
  draw();
  return [
    h("div", { class: "compare" }, h("label", null, t("Compare run"), " ", from), h("label", null, t("with run"), " ", to)),
    place,
  ];
}

function difference({ added, gone, kept }) {
  const parts = [
    h("span", { class: "plus" }, tn("1 new", "{n} new", added.length)),
    h("span", { class: "minus" }, tn("1 removed", "{n} removed", gone.length)),
    h("span", { class: "muted" }, tn("1 unchanged", "{n} unchanged", kept)),
  ];
  return [h("p", { class: "sum num" }, parts), side(added, "plus", t("New")), side(gone, "minus", t("Removed"))];
}

function side(results, kind, name) {
  if (!results.length) return null;
  const rest = results.length - SHOWN_MAX;
  return [
    h("ul", { class: `side ${kind}`, "aria-label": name }, results.slice(0, SHOWN_MAX).map(item)),
    rest > 0 && h("p", { class: "faint" }, tn("and 1 more", "and {n} more", rest)),
  ];
}

function item(result) {
  const when = result.date_published ? new Date(result.date_published) : null;
  const about = [result.searchprovider, when && !Number.isNaN(when.getTime()) && day(when)].filter(Boolean).join(" · ");
  return h("li", null, externalLink(result.url, result.title || result.url || t("Untitled")), h("span", { class: "faint" }, ` ${about}`));
}
