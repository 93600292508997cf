// Wishes about the source and the domain of a result, in its details. They are made when somebody opens them.

import { get } from "../api.js";
import { all, h, one, toast } from "../dom.js";
import { icon } from "../icon.js";
import { t } from "../words.js";
import { WISHES, domainOf, read, wish } from "./preferences.js";

const SENTENCES = {
  raise: (name) => t("{name} will stand higher from the next list on", { name }),
  lower: (name) => t("{name} will stand lower from the next list on", { name }),
  block: (name) => t("{name} will not be shown any more. Your account page can take this back.", { name }),
};

/** Sources by their names, which are unique, and the wishes there are. Asked for once. */
let asked;
const known = () => (asked ??= Promise.all([get("/searchproviders/"), read()]).then(([sources, wishes]) => ({ ids: new Map(sources.map((one) => [one.name, one.id])), wishes })));

// Disclosures tell of their opening without bubbling.
document.addEventListener(
  "toggle",
  async (event) => {
    const target = /** @type {Element} */ (event.target);
    const result = target.matches?.(".result details.details[open]") && target.closest(".result");
    if (!result || one(".rank-wish", target)) return;
    const place = h("div", { class: "rank-wish" });
    target.append(place);
    try {
      place.append(...about(result, await known()));
    } catch {
      asked = undefined;
      place.remove();
    }
  },
  true,
);

function about(result, { ids, wishes }) {
  const name = one(".source", result)?.textContent.trim();
  const address = one("h2 a[href]", result)?.href;
  const domain = address && domainOf(address);
  const groups = [];
  if (ids.has(name)) groups.push(group(name, "source", ids.get(name), wishes.sources.find((one) => one.provider_id === ids.get(name))));
  if (domain) groups.push(group(domain, "domain", domain, wishes.domains.find((one) => one.domain === domain)));
  return groups;
}

function group(name, kind, key, now) {
  const button = ([word, { drawing, name: say }]) =>
    h("button", { type: "button", class: "soft small drawn", "aria-pressed": String(now?.wish === word), onclick: (event) => keep(event.currentTarget, kind, key, word, name) }, icon(drawing), say());
  return h("div", { class: "buttons", role: "group", "aria-label": t("Wish about {name}", { name }) }, h("span", { class: "muted" }, name), Object.entries(WISHES).map(button));
}

/** Keeps the wish, or takes it away when it was there already. */
async function keep(button, kind, key, word, name) {
  const wanted = button.getAttribute("aria-pressed") === "true" ? null : word;
  try {
    const wishes = await wish(kind, key, wanted);
    asked = asked.then(({ ids }) => ({ ids, wishes }));
    for (const other of all("button", button.parentElement)) other.setAttribute("aria-pressed", String(wanted !== null && other === button));
    toast(wanted ? SENTENCES[wanted](name) : t("The wish about {name} is forgotten", { name }));
    document.dispatchEvent(new CustomEvent("tributary:wish", { detail: { kind, key, wish: wanted } }));
  } catch (error) {
    toast(error.message, { bad: true });
  }
}
