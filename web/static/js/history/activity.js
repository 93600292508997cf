// Chart of the user's recent searches.

import { get } from "../api.js";
import { h, one, s } from "../dom.js";
import { day, t, tn } from "../i18n.js";

const HEIGHT = 56;
const STEP = 20;
const BAR = 14;
/** Height of the bar of a day without searches. */
const STUB = 2;

/** Fills the section, and shows it if there were searches. On a phone it is below the list, so it waits for the list. */
export async function showActivity(section, list) {
  const [{ days }] = await Promise.all([get("/activity/mine/"), list]);
  const total = days.reduce((sum, one) => sum + one.searches, 0);
  if (!total) return;
  const sentence = tn("1 search", "{n} searches", total);
  one("#activity-chart", section).replaceChildren(
    chart(days, sentence),
    h("p", { class: "axis faint num" }, h("span", null, day(noon(days[0]))), h("span", null, t("today"))),
    h("p", { class: "muted num" }, sentence),
  );
  section.hidden = false;
}

/** Noon of a day, so that no time zone moves it to another day. */
const noon = (one) => `${one.day}T12:00:00`;

function chart(days, sentence) {
  const most = Math.max(1, ...days.map((one) => one.searches));
  const bars = days.map((one, place) => {
    const height = one.searches ? Math.max(2 * STUB, (one.searches / most) * HEIGHT) : STUB;
    const words = `${day(noon(one))}: ${tn("1 search", "{n} searches", one.searches)}`;
    const isToday = place === days.length - 1;
    const kind = one.searches ? (isToday ? "bar-today" : "bar-day") : "bar-none";
    return s(
      "rect",
      { class: kind, x: place * STEP + (STEP - BAR) / 2, y: HEIGHT - height, width: BAR, height, rx: 2 },
      s("title", null, words),
    );
  });
  const box = `0 0 ${days.length * STEP} ${HEIGHT}`;
  return s("svg", { viewBox: box, preserveAspectRatio: "none", role: "img", "aria-label": sentence, class: "bars" }, bars);
}
