// Cells of a list.

import { h } from "../../dom.js";
import { number, seconds, t, time } from "../../i18n.js";
import { breakable } from "../components.js";
import { lastHour } from "../sources_health.js";
import { resource, nameOf, pageOf } from "./resource.js";
import { formatDuration } from "./format.js";
import { processorWords } from "./split_words.js";

const TAGS_SHOWN = 4;
/** Tags with fewer characters stay on one line. */
const TAGS_CHARS_SHORT = 28;

const none = () => h("span", { class: "faint none" }, "–");

const formats = {
  name: (value, row) => h("a", { href: pageOf(row[resource.key]), class: "row-name" }, breakableAddress(nameOf(row))),
  text: (value) => (value ? h("span", { class: "row-text" }, breakableAddress(value)) : none()),
  faint: (value) => (value ? h("span", { class: "muted" }, breakable(value)) : none()),
  code: (value) => (value ? h("code", {}, value) : none()),
  tags: (value) => tags(value ?? []),
  processors: (value) => tags((value ?? []).map(processorWords)),
  presence: (value) => (value ? h("span", { class: "badge" }, t("yes")) : h("span", { class: "faint" }, t("no"))),
  moment: (value) => (value ? h("time", { datetime: value, class: "num" }, time(value)) : none()),
  interval: (value) => h("span", { class: "nowrap" }, formatDuration(value)),
  speed: (value, row, state) => (state?.p50 > 0 ? h("span", { class: "num nowrap" }, seconds(state.p50)) : none()),
  lasthour: (value, row, state) => lastHour(state) ?? none(),
  count: (value, row, state, field) => (state ? h("span", { class: "num" }, number(state[field] ?? 0)) : none()),
};

/** The cell of a column. `state` has the measurements of the record, if there are any. */
export const cell = (column, row, state) => formats[column.format](row[column.field], row, state, column.field);

/** A text such as a mail address, which may break after its signs. */
const breakableAddress = (text) => text.split(/(?<=[@.])/).flatMap((part, place) => (place ? [h("wbr"), part] : [part]));

function tags(words) {
  if (!words.length) return none();
  const shown = words.slice(0, TAGS_SHOWN).map((word) => h("span", { class: "tag" }, breakable(word)));
  const more = words.length - shown.length;
  const isShort = words.length <= TAGS_SHOWN && words.join("").length < TAGS_CHARS_SHORT;
  return h("span", { class: isShort ? "tags is-short" : "tags" }, shown, more > 0 && h("span", { class: "faint", title: words.join(", ") }, `+${more}`));
}

/** Badge of a record whose stored secrets cannot be decrypted, so that they must be entered again. */
export function unreadableBadge(row) {
  if (!row.unreadable_fields?.length) return null;
  return h("a", { class: "badge bad", href: pageOf(row[resource.key]), title: row.unreadable_fields.join(", ") }, t("re-enter credentials"));
}
