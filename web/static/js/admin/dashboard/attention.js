// The first card of the dashboard: sources that need attention.

import { h } from "../../dom.js";
import { number, t } from "../../i18n.js";
import { HEALTH_PAGE, describeFailure, formOf } from "../sources_health.js";

/** The other sources are on the page of their health. */
const ROWS_MAX = 8;

/** The card, or null if every source responds. */
export function attentionCard({ failing, sources }) {
  if (!failing.length) return null;
  const more = failing.length - ROWS_MAX;
  return h("section", { class: "card attention", "aria-labelledby": "attention-title" },
    h("h2", { id: "attention-title" }, title(failing.length, sources)),
    h("ul", {}, failing.slice(0, ROWS_MAX).map(row)),
    more > 0 && h("p", {}, h("a", { href: HEALTH_PAGE }, t("{n} more", { n: number(more) }))));
}

const title = (count, sources) => (count === 1
  ? t("1 of {all} sources needs attention", { all: number(sources) })
  : t("{n} of {all} sources need attention", { n: number(count), all: number(sources) }));

const row = (one) => h("li", {},
  h("span", {}, h("b", {}, one.name), " – ", h("span", { class: "muted" }, describeFailure(one))),
  h("a", { class: "soft small", href: formOf(one.provider_id) }, t("Fix"), h("span", { class: "visually-hidden" }, ` ${one.name}`)));
