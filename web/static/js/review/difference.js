// Text differences between two versions.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { t, tn } from "../i18n.js";

/** Characters of a long unchanged part that are shown at each of its ends. */
const SAME_SHOWN = 160;

/** A panel in which two versions are chosen. */
export function difference(members) {
  const name = (member) => [member.title || t("Untitled"), member.version_label].filter(Boolean).join(" · ");
  const choice = (id, chosen) => h("select", { id }, members.map((member) => h("option", { value: member.signal_id, selected: member === chosen }, name(member))));
  const [left, right] = [choice("diff-left", members[1]), choice("diff-right", members[0])];
  const place = h("div", { class: "text-diff", "aria-live": "polite" });
  let latest = 0;
  const draw = async () => {
    const request = ++latest;
    if (left.value === right.value) return fill(place, h("p", { class: "muted" }, t("Choose two different versions.")));
    try {
      const found = await get(`/cache/${left.value}/diff/${right.value}/`);
      if (request === latest) fill(place, renderDifference(found));
    } catch (error) {
      if (request === latest) fill(place, h("p", { class: "note" }, error.status === 404 ? t("The text of one version is not available.") : error.message));
    }
  };
  for (const select of [left, right]) select.addEventListener("change", draw);
  draw();
  return h("section", { class: "panel", "aria-labelledby": "diff-title" },
    h("h2", { id: "diff-title" }, t("Differences")),
    h("div", { class: "compare" }, h("span", null, h("label", { for: "diff-left" }, t("From")), left), h("span", null, h("label", { for: "diff-right" }, t("To")), right)),
    place);
}

function renderDifference({ added, removed, truncated, pieces }) {
  const isSame = !pieces.some((piece) => piece.op !== "same");
  return [
    h("p", { class: "sum num" }, h("span", { class: "plus" }, tn("1 word added", "{n} words added", added)), h("span", { class: "minus" }, tn("1 word removed", "{n} words removed", removed))),
    truncated && h("p", { class: "note" }, t("The texts are long; only the beginnings are compared.")),
    isSame ? h("p", { class: "muted" }, t("The texts are identical.")) : h("p", { class: "both" }, pieces.map((one, place) => renderPiece(one, place, pieces.length))),
  ];
}

function renderPiece({ op, text }, place, count) {
  if (op === "added") return h("ins", null, text);
  if (op === "removed") return h("del", null, text);
  if (text.length <= 2 * SAME_SHOWN) return text;
  const [start, end] = [place > 0 ? text.slice(0, SAME_SHOWN) : "", place < count - 1 ? text.slice(-SAME_SHOWN) : ""];
  return [start, h("span", { class: "skipped", title: t("unchanged") }, " … "), end];
}
