// The versions of an election side by side: one column for each, one row for each factor. The bars of a column add up to
// its score.

import { h, s, toast } from "../dom.js";
import { externalLink } from "../externals.js";
import { grounds } from "../versions/grounds.js";
import { factors } from "../versions/names.js";
import { day, fixed, locale, number, t } from "../i18n.js";
import { spans, steps } from "./spans.js";

const two = (value) => fixed(value, 2);
const signed = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: "exceptZero" });

/** `pinned(member)` pins that one; false when the reader may not. */
export function sides(run, pinned) {
  const names = factors();
  const { members, weights } = run;
  const reach = reachOf(members);
  const row = (name, cell, kind) => h("tr", { class: kind }, h("th", { scope: "row" }, name), members.map((member) => h("td", { class: member.role === "winner" ? "is-winner" : null }, cell(member))));
  const table = h(
    "table",
    { class: "sides num" },
    h("caption", { class: "unseen" }, t("Versions side by side")),
    h("thead", null, h("tr", null, h("td", null), members.map((member) => top(member)))),
    h(
      "tbody",
      null,
      row(t("Score"), (member) => [h("b", { class: "score" }, two(member.score)), stacked(member, reach)], "total"),
      Object.entries(names).map(([factor, name]) => row([name, " ", h("span", { class: "faint weight" }, t("weight {weight}", { weight: number(weights[factor] ?? 0) }))], (member) => single(member, factor, reach))),
      row(t("Confidence"), (member) => two(member.relevance)),
      row(t("Why"), (member) => why(member)),
      pinned && row(t("Decision"), (member) => pinning(member, pinned)),
    ),
  );
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("Versions side by side") }, table);
}

const parts = (member) => Object.keys(factors()).map((factor) => ({ factor, value: contribution(member, factor) }));
const contribution = (member, factor) => member.contributions?.[factor] ?? 0;

function top(member) {
  const role = { winner: ["pin", t("selected")], alternate: ["quiet", t("other version")], ineligible: ["bad", t("not eligible")] }[member.role] ?? ["", member.role];
  const when = member.date ? new Date(member.date) : null;
  const about = [member.version_label, member.searchprovider, when && !Number.isNaN(when.getTime()) && day(when)].filter(Boolean);
  return h(
    "th",
    { scope: "col", "data-signal": member.signal_id, class: member.role === "winner" ? "is-winner" : null },
    h("p", { class: "badges" }, h("span", { class: `badge ${role[0]}` }, role[1]), member.shared_externally && h("span", { class: "badge" }, t("shared outside")), member.liveness === "gone" && h("span", { class: "badge bad" }, t("gone")), member.state === "pinned" && h("span", { class: "badge pin" }, t("pinned"))),
    h("p", { class: "title" }, externalLink(member.url, member.title || member.url || t("Untitled"))),
    h("p", { class: "meta" }, about.map((part) => h("span", null, part))),
  );
}

/** All factors in one bar: what counts for it to the right of the line, what counts against it to the left. */
function stacked(member, reach) {
  const { drawn } = spans(parts(member));
  const said = drawn.map(({ factor, value }) => `${factors()[factor]} ${signed.format(value)}`).join(", ");
  return bar(drawn, reach, { role: "img", "aria-label": said || t("none") });
}

/** One factor; its bar begins where the one above it ended. */
function single(member, factor, reach) {
  const step = steps(parts(member)).find((one) => one.factor === factor);
  return [
    h("span", { class: "adds" }, h("b", null, signed.format(step.value)), " ", h("span", { class: "faint" }, two(member.factors?.[factor] ?? 0))),
    bar([step], reach, { class: "stack thin", "aria-hidden": "true" }),
  ];
}

/** Every bar has the same scale, so that they can be held against each other. */
function bar(pieces, { left, right }, properties) {
  const at = (value) => ((value - left) / (right - left)) * 1000;
  return s("svg", { class: "stack", viewBox: "0 0 1000 10", preserveAspectRatio: "none", ...properties },
    s("line", { class: "zero", x1: at(0), x2: at(0), y1: 0, y2: 10 }),
    pieces.map(({ factor, from, to }) => s("rect", { class: `f-${factor}`, x: at(from), width: at(to) - at(from), y: 1, height: 8 })));
}

/** How far the bars of all members reach to both sides. */
function reachOf(members) {
  const all = members.map((member) => spans(parts(member)));
  return { left: Math.min(0, ...all.map((one) => one.left)), right: Math.max(1e-6, ...all.map((one) => one.right)) };
}

function why(member) {
  const reasons = grounds(member);
  return reasons.length ? h("ul", { class: "reasons" }, reasons.map((reason) => h("li", null, reason))) : "–";
}

function pinning(member, pinned) {
  const name = member.title || t("Untitled");
  const act = async ({ currentTarget: button }) => {
    button.disabled = true;
    try {
      await pinned(member);
    } catch (error) {
      toast(error.message, { bad: true });
    } finally {
      button.disabled = false;
    }
  };
  return h("button", { type: "button", class: "soft small", "aria-label": t("Pin {title}", { title: name }), onclick: act }, t("Pin"));
}
