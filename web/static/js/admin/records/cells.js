// Cells of a list.

import { h } from "../../dom.js";
import { number, seconds, t, time, timeLeft } from "../../i18n.js";
import { breakable } from "../components.js";
import { resource, nameOf, pageOf } from "./resource.js";
import { formatDuration } from "./format.js";

const TAGS_SHOWN = 4;

const none = () => h("span", { class: "faint none" }, "–");

const formats = {
  name: (value, row) => h("a", { href: pageOf(row[resource.key]), class: "row-name" }, nameOf(row)),
  text: (value) => value || none(),
  faint: (value) => (value ? h("span", { class: "muted" }, value) : none()),
  code: (value) => (value ? h("code", {}, value) : none()),
  tags: (value) => tags(value ?? []),
  presence: (value) => (value ? h("span", { class: "badge" }, t("yes")) : h("span", { class: "faint" }, t("no"))),
  moment: (value) => (value ? h("time", { datetime: value, class: "num" }, time(value)) : none()),
  interval: (value) => h("span", { class: "nowrap" }, formatDuration(value)),
  speed: (value, row, state) => (state?.p50 > 0 ? h("span", { class: "num nowrap" }, seconds(state.p50)) : none()),
  lasthour: (value, row, state) => lastHour(state),
};

/** The cell of a column. `state` has the measurements of the record, if there are any. */
export const cell = (column, row, state) => formats[column.format](row[column.field], row, state);

function tags(words) {
  if (!words.length) return none();
  const shown = words.slice(0, TAGS_SHOWN).map((word) => h("span", { class: "tag" }, breakable(word)));
  const more = words.length - shown.length;
  return h("span", { class: "tags" }, shown, more > 0 && h("span", { class: "faint", title: words.join(", ") }, `+${more}`));
}

function lastHour(state) {
  if (!state || !(state.ok || state.failed)) return none();
  const fine = t("{n} ok", { n: number(state.ok) });
  const failed = state.failed ? h("span", { class: "failed" }, t("{n} failed", { n: number(state.failed) })) : null;
  return h("span", { class: "num" }, state.ok ? fine : null, state.ok && failed ? ", " : null, failed);
}

/** Badge of a record whose stored secrets cannot be decrypted, so that they must be entered again. */
export function unreadableBadge(row) {
  if (!row.unreadable_fields?.length) return null;
  return h("a", { class: "badge bad", href: pageOf(row[resource.key]), title: row.unreadable_fields.join(", ") }, t("re-enter credentials"));
}

/** Badge of a paused source. */
export function pausedBadge(state) {
  if (!state || state.state === "closed") return null;
  const left = state.seconds ? t("paused, {time} left", { time: timeLeft(state.seconds) }) : t("paused");
  return h("a", { class: "badge bad", href: "/admin/breakers/", title: state.reason || null }, left);
}
