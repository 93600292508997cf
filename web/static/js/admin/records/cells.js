// Cells of a list.

import { h } from "../../dom.js";
import { number, seconds, t, time } from "../../i18n.js";
import { resource, nameOf, pageOf } from "./resource.js";
import { span } from "./prose.js";

const TAGS_SHOWN = 4;

const none = () => h("span", { class: "faint none" }, "–");

const drawings = {
  name: (value, row) => h("a", { href: pageOf(row[resource.key]), class: "row-name" }, nameOf(row)),
  text: (value) => value || none(),
  faint: (value) => (value ? h("span", { class: "muted" }, value) : none()),
  code: (value) => (value ? h("code", {}, value) : none()),
  tags: (value) => tags(value ?? []),
  presence: (value) => (value ? h("span", { class: "badge" }, t("yes")) : h("span", { class: "faint" }, t("no"))),
  moment: (value) => (value ? h("time", { datetime: value, class: "num" }, time(value)) : none()),
  interval: (value) => span(value),
  speed: (value, row, state) => (state?.p50 > 0 ? h("span", { class: "num nowrap" }, seconds(state.p50)) : none()),
  lasthour: (value, row, state) => lastHour(state),
};

/** The cell of a column. `state` is what the service measured of this record, if it does. */
export const cell = (column, row, state) => drawings[column.format](row[column.field], row, state);

function tags(words) {
  if (!words.length) return none();
  const shown = words.slice(0, TAGS_SHOWN).map((word) => h("span", { class: "tag" }, word));
  const more = words.length - shown.length;
  return h("span", { class: "tags" }, shown, more > 0 && h("span", { class: "faint", title: words.join(", ") }, `+${more}`));
}

function lastHour(state) {
  if (!state || !(state.ok || state.failed)) return none();
  const fine = t("{n} ok", { n: number(state.ok) });
  const failed = state.failed ? h("span", { class: "failed" }, t("{n} failed", { n: number(state.failed) })) : null;
  return h("span", { class: "num" }, state.ok ? fine : null, state.ok && failed ? ", " : null, failed);
}

/** A mark for a record whose stored secrets cannot be read, so that they must be entered again. */
export function unreadable(row) {
  if (!row.unreadable_fields?.length) return null;
  return h("a", { class: "badge bad", href: pageOf(row[resource.key]), title: row.unreadable_fields.join(", ") }, t("re-enter credentials"));
}

/** A mark for a source that is left alone for a while. */
export function resting(state) {
  if (!state || state.state === "closed") return null;
  const left = state.seconds ? t("paused, {n} s left", { n: number(Math.ceil(state.seconds)) }) : t("paused");
  return h("a", { class: "badge bad", href: "/admin/breakers/", title: state.reason || null }, left);
}
