// The versions of an election side by side: one column for each, one row for each factor. The bars of a column add up to
// its score.

import { h, s, toast } from "../dom.js";
import { externalLink } from "../externals.js";
import { reasonTexts } from "../versions/grounds.js";
import { factors } from "../versions/names.js";
import { day, fixed, locale, number, t } from "../i18n.js";
import { stackParts, chainParts } from "./spans.js";

const twoDecimals = (value) => fixed(value, 2);
const signed = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: "exceptZero" });

/** `onPin(member)` pins a version; false if the user may not pin. */
export function versionsTable(run, onPin) {
  const names = factors();
  const { members, weights } = run;
  const extent = extentOf(members);
  const row = (name, cell, kind) => h("tr", { class: kind }, h("th", { scope: "row" }, name), members.map((member) => h("td", { class: member.role === "winner" ? "is-winner" : null }, cell(member))));
  const table = h(
    "table",
    { class: "sides num" },
    h("caption", { class: "visually-hidden" }, t("Versions side by side")),
    h("thead", null, h("tr", null, h("td", null), members.map((member) => columnHead(member)))),
    h(
      "tbody",
      null,
      row(t("Score"), (member) => [h("b", { class: "score" }, twoDecimals(member.score)), stackedBar(member, extent)], "total"),
      Object.entries(names).map(([factor, name]) => row([name, " ", h("span", { class: "faint weight" }, t("weight {weight}", { weight: number(weights[factor] ?? 0) }))], (member) => factorBar(member, factor, extent))),
      row(t("Confidence"), (member) => twoDecimals(member.relevance)),
      row(t("Why"), (member) => reasonList(member)),
      onPin && row(t("Decision"), (member) => pinButton(member, onPin)),
    ),
  );
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("Versions side by side") }, table);
}

const parts = (member) => Object.keys(factors()).map((factor) => ({ factor, value: contribution(member, factor) }));
const contribution = (member, factor) => member.contributions?.[factor] ?? 0;

function columnHead(member) {
  const role = { winner: ["pin", t("selected")], alternate: ["quiet", t("other version")], ineligible: ["bad", t("not eligible")] }[member.role] ?? ["", member.role];
  const when = member.date ? new Date(member.date) : null;
  const about = [member.version_label, member.searchprovider, when && !Number.isNaN(when.getTime()) && day(when)].filter(Boolean);
  return h(
    "th",
    { scope: "col", "data-signal": member.signal_id, class: member.role === "winner" ? "is-winner" : null },
    h("p", { class: "badges" }, h("span", { class: `badge ${role[0]}` }, role[1]), member.shared_externally && h("span", { class: "badge" }, t("sent outside")), member.liveness === "gone" && h("span", { class: "badge bad" }, t("gone")), member.state === "pinned" && h("span", { class: "badge pin" }, t("pinned"))),
    h("p", { class: "title" }, externalLink(member.url, member.title || member.url || t("Untitled"))),
    h("p", { class: "meta" }, about.map((part) => h("span", null, part))),
  );
}

/** All factors in one bar: positive ones to the right of the zero line, negative ones to the left. */
function stackedBar(member, extent) {
  const { drawn } = stackParts(parts(member));
  const label = drawn.map(({ factor, value }) => `${factors()[factor]} ${signed.format(value)}`).join(", ");
  return bar(drawn, extent, { role: "img", "aria-label": label || t("none") });
}

/** One factor; its bar begins where the bar above it ends. */
function factorBar(member, factor, extent) {
  const step = chainParts(parts(member)).find((one) => one.factor === factor);
  return [
    h("span", { class: "adds" }, h("b", null, signed.format(step.value)), " ", h("span", { class: "faint" }, twoDecimals(member.factors?.[factor] ?? 0))),
    bar([step], extent, { class: "stack thin", "aria-hidden": "true" }),
  ];
}

/** All bars have the same scale, so that they can be compared. */
function bar(pieces, { left, right }, properties) {
  const at = (value) => ((value - left) / (right - left)) * 1000;
  return s("svg", { class: "stack", viewBox: "0 0 1000 10", preserveAspectRatio: "none", ...properties },
    s("line", { class: "zero", x1: at(0), x2: at(0), y1: 0, y2: 10 }),
    pieces.map(({ factor, from, to }) => s("rect", { class: `f-${factor}`, x: at(from), width: at(to) - at(from), y: 1, height: 8 })));
}

/** The extent of the bars of all members to both sides. */
function extentOf(members) {
  const all = members.map((member) => stackParts(parts(member)));
  return { left: Math.min(0, ...all.map((one) => one.left)), right: Math.max(1e-6, ...all.map((one) => one.right)) };
}

function reasonList(member) {
  const reasons = reasonTexts(member);
  return reasons.length ? h("ul", { class: "reasons" }, reasons.map((reason) => h("li", null, reason))) : "–";
}

function pinButton(member, onPin) {
  const name = member.title || t("Untitled");
  const act = async ({ currentTarget: button }) => {
    button.disabled = true;
    try {
      await onPin(member);
    } catch (error) {
      toast(error.message, { bad: true });
    } finally {
      button.disabled = false;
    }
  };
  return h("button", { type: "button", class: "soft small", "aria-label": t("Pin {title}", { title: name }), onclick: act }, t("Pin"));
}
