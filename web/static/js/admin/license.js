// License page: owner, expiration, features.

import { fill, h } from "../dom.js";
import { day, number, t, tn } from "../i18n.js";
import { card, loadInto, work } from "./components.js";

const place = h("div");
fill(work(), place);
loadInto(place, "/license/", draw);

function draw(license) {
  const features = Object.entries(license.features ?? {});
  return [
    card([t("Status"), " ", badge(license.status)], !license.expiration && license.message && h("p", {}, license.message),
      h("dl", { class: "facts" },
        license.status !== "none" && [
          fact(t("Owner"), license.owner || "–"),
          fact(t("Valid until"), license.expiration ? t("{day} ({left})", { day: day(license.expiration), left: remaining(license.days_left) }) : "–")],
        fact(t("Semantic cache"), license.cache ? (license.cache_expiration ? t("until {day}", { day: day(license.cache_expiration) }) : t("allowed")) : t("not included")))),
    features.length > 0 && card(t("Features"), h("dl", { class: "facts" }, features.map(([name, value]) => fact(name, formatFeature(value))))),
    card(t("New license"), h("p", { class: "muted" }, t("Set SVC_LICENSE to the license exactly as you received it, then restart the service. An edited license is not valid."))),
  ];
}

function badge(status) {
  if (status === "valid") return h("span", { class: "badge" }, t("valid"));
  if (status === "expiring") return h("span", { class: "badge warn" }, t("expires soon"));
  if (status === "expired") return h("span", { class: "badge bad" }, t("expired"));
  if (status === "invalid") return h("span", { class: "badge bad" }, t("invalid"));
  return h("span", { class: "badge quiet" }, t("none"));
}

const remaining = (days) => (days === null || days === undefined ? "–" : days < 0 ? t("expired") : tn("one day left", "{n} days left", days));
const fact = (name, value) => [h("dt", {}, name), h("dd", {}, value)];
const formatFeature = (value) => (value === true ? t("yes") : value === false ? t("no") : typeof value === "number" ? number(value) : typeof value === "string" ? value : JSON.stringify(value));
