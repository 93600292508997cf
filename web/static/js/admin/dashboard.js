// Dashboard: sources that need attention, status tiles, live charts, recent changes.

import { get } from "../api.js";
import { fill, h, one } from "../dom.js";
import { t } from "../i18n.js";
import { actionsTable } from "./audit/table.js";
import { errorAlert, work } from "./components.js";
import { attentionCard } from "./dashboard/attention.js";
import { fillHour, hourCards } from "./dashboard/last_hour.js";
import { monthCards } from "./dashboard/last_month.js";
import { tileList } from "./dashboard/tiles.js";
import { storageAdvice } from "./storage.js";

const REFRESH_MS = 5000;

const attention = h("div");
const failed = h("div");
const advice = h("div");
const tiles = h("div", { class: "tiles" });
const live = h("div", { class: "cards", role: "group", "aria-label": t("The last hour") });
const month = h("div", { class: "cards" });
const below = h("div", { class: "cards" });

let last = "";
let fullShares = [];
/** On a new installation, the first steps are shown instead of empty charts. */
let isNew = Boolean(one(".first-run"));
async function refresh() {
  try {
    const now = await get("/activity/now/");
    fill(failed);
    now.minutes = fillHour(now.minutes);
    const json = JSON.stringify(now);
    if (json === last) return;
    if (!attention.contains(document.activeElement)) fill(attention, attentionCard(now));
    fill(tiles, tileList(now, fullShares));
    // Content that the user is reading is not replaced.
    if (live.contains(document.activeElement) || live.querySelector("details[open]")) return;
    last = json;
    isNew &&= now.searches_today === 0;
    for (const part of [tiles, live, month]) part.hidden = isNew;
    fill(live, hourCards(now));
  } catch (error) {
    if (!failed.firstChild) fill(failed, errorAlert(error, refresh));
  }
}

async function loadMonth() {
  try {
    const activity = await get("/activity/?days=30");
    fill(advice, storageAdvice(activity.totals));
    isNew &&= activity.totals.searches === 0;
    fullShares = activity.days.map((one) => (one.searches ? one.full / one.searches : null));
    fill(month, monthCards(activity));
  } catch (error) {
    isNew = false;
    fill(month, h("div", { class: "is-wide" }, errorAlert(error, loadMonth)));
  }
}

async function loadChanges() {
  try {
    const page = await get("/audit/?items=8&page=1");
    fill(below, h("section", { class: "card is-wide" }, h("h2", {}, t("Recent changes")), actionsTable(page.results, t("No changes yet.")), h("p", {}, h("a", { href: "/admin/audit/" }, t("All changes")))));
  } catch (error) {
    fill(below, h("div", { class: "is-wide" }, errorAlert(error, loadChanges)));
  }
}

fill(work(), h("p", { class: "muted loading" }, t("Loading…")));
// Shown at once when everything is there, so that nothing moves while the page loads.
await Promise.all([loadMonth(), loadChanges()]);
await refresh();
fill(work(), failed, attention, advice, tiles, live, month, below);
setInterval(() => document.visibilityState === "visible" && refresh(), REFRESH_MS);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && refresh());
