// The license: who holds it, until when, and what it allows.

import { fill, h } from "../dom.js";
import { day, number, t, tn } from "../words.js";
import { card, shown, work } from "./parts.js";

const place = h("div");
fill(work(), place);
shown(place, "/license/", draw);

function draw(license) {
  const features = Object.entries(license.features ?? {});
  return [
    card(t("Status"), h("p", {}, badge(license.status), " ", !license.expiration && license.message),
      h("dl", { class: "facts" },
        fact(t("Owner"), license.owner || "-"),
        fact(t("Valid until"), license.expiration ? t("{day} ({left})", { day: day(license.expiration), left: left(license.days_left) }) : "-"),
        fact(t("Semantic cache"), license.cache ? (license.cache_expiration ? t("until {day}", { day: day(license.cache_expiration) }) : t("allowed")) : t("not part of it")))),
    features.length > 0 && card(t("Features"), h("dl", { class: "facts" }, features.map(([name, value]) => fact(name, said(value))))),
    card(t("A new license"), h("p", { class: "muted" }, t("Put the license, as you received it, into the setting SVC_LICENSE and start the program again. A license whose text was edited is not valid."))),
  ];
}

function badge(status) {
  if (status === "valid") return h("span", { class: "badge" }, t("valid"));
  if (status === "expiring") return h("span", { class: "badge warn" }, t("ends soon"));
  if (status === "expired") return h("span", { class: "badge bad" }, t("expired"));
  if (status === "invalid") return h("span", { class: "badge bad" }, t("not valid"));
  return h("span", { class: "badge quiet" }, t("none"));
}

const left = (days) => (days === null || days === undefined ? "-" : days < 0 ? t("over") : tn("one day left", "{n} days left", days));
const fact = (name, value) => [h("dt", {}, name), h("dd", {}, value)];
const said = (value) => (value === true ? t("yes") : value === false ? t("no") : typeof value === "number" ? number(value) : typeof value === "string" ? value : JSON.stringify(value));
