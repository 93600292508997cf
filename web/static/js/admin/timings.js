// Search times: where the time of the last searches went, with a waterfall of steps and sources for each.

import { get } from "../api.js";
import { fill, h, s } from "../dom.js";
import { fixed, locale, number, t, tn } from "../i18n.js";
import { describeStatus } from "../history/status.js";
import { errorAlert, segments, table, work } from "./components.js";
import { describeSourceStatus } from "./timings/status.js";

const REFRESH_MS = 5000;
const COUNTS = ["20", "50", "200"];
const clock = new Intl.DateTimeFormat(locale, { timeStyle: "medium" });
/** Name on the wire: label and color. */
const STEPS = {
  queue: [t("Queue"), 7],
  prepare: [t("Preparation"), 1],
  sources: [t("Sources"), 0],
  scoring: [t("Scoring"), 3],
  storing: [t("Storing"), 2],
  response: [t("Response"), 5],
};
const PARTS = {
  status: t("Database: status and saved results"),
  slot: t("Scoring: waiting for the CPU"),
  post_result: t("Scoring: post-result processors"),
};

let count = COUNTS[0];
let shown = "";
const opened = new Set();
const recording = h("p", { class: "muted" });
const list = h("div", { class: "timings" });
fill(work(),
  h("p", { class: "lead muted" }, t("Where the time of the last searches went. Times are recorded only while this page is in use or traces are exported; they contain neither queries nor users. Searches that run in other processes are not listed here, only in exported traces.")),
  h("div", { class: "tools" }, segments(t("Number of searches"), COUNTS.map((one) => [one, number(Number(one))]), count, (value) => { count = value; load(); })),
  recording, legend(), list);
load();
// Each request keeps the recording on, also while somebody reads in the list.
setInterval(() => document.visibilityState === "visible" && load(() => list.contains(document.activeElement)), REFRESH_MS);

/** Reads the times and shows them. The list is left alone if it is in use, because drawing it would move the focus. */
async function load(isInUse = () => false) {
  try {
    const timings = await get(`/timings/?searches=${count}`);
    drawRecording(timings);
    if (!isInUse()) drawList(timings.searches);
  } catch (error) {
    if (isInUse()) return;
    shown = "";
    fill(list, errorAlert(error, () => load()));
  }
}

function drawRecording({ recording_since: since, recording_until: until }) {
  const times = { since: clock.format(new Date(since)), until: until && clock.format(new Date(until)) };
  recording.textContent = until
    ? t("Recording since {since}. It stops at {until} unless this page stays open and visible.", times)
    : t("Recording since {since}, because traces are exported.", { since: times.since });
}

function drawList(searches) {
  const keys = JSON.stringify([searches.map(key), searches.map((one) => one.total_us)]);
  if (keys === shown) return;
  shown = keys;
  fill(list, searches.length ? searches.map(row) : h("p", { class: "note" },
    t("No searches since recording began. Run a search; recording continues for ten minutes after you leave this page."), " ", h("a", { href: "/" }, t("Open the search page"))));
}

const key = (one) => `${one.search}-${one.run}`;
const milliseconds = (us) => `${fixed(us / 1000, us < 10_000 ? 2 : us < 100_000 ? 1 : 0)} ms`;
const lengthOf = (span) => span.end_us - span.begin_us;

function legend() {
  const dot = (color) => s("svg", { width: 10, height: 10, "aria-hidden": "true" }, s("circle", { cx: 5, cy: 5, r: 5, class: `fill-${color}` }));
  return h("ul", { class: "key" }, Object.values(STEPS).map(([label, color]) => h("li", {}, dot(color), label)));
}

/** A horizontal bar; spans are `[span, color, label]`. It is as wide as the time from 0 to `total`. */
function bar(spans, total, properties) {
  const percent = (us) => `${((100 * us) / Math.max(total, 1)).toFixed(3)}%`;
  return s("svg", { class: "time-bar", width: "100%", height: 12, ...properties },
    spans.map(([span, color, label]) => s("rect", { class: `fill-${color}`, x: percent(span.begin_us), width: percent(Math.max(lengthOf(span), total / 500)), height: 12 },
      s("title", {}, `${label}: ${milliseconds(lengthOf(span))}`))));
}

function row(one) {
  const spans = one.steps.map((step) => [step, STEPS[step.name][1], STEPS[step.name][0]]);
  const said = spans.map(([span, , label]) => `${label} ${milliseconds(lengthOf(span))}`).join(", ");
  const element = h("details", { class: "timing", open: opened.has(key(one)) },
    h("summary", {},
      h("span", { class: "num" }, clock.format(new Date(one.requested))),
      h("span", {}, one.run > 1 ? t("Search {id}, run {run}", { id: one.search, run: one.run }) : t("Search {id}", { id: one.search })),
      bar(spans, one.total_us, { role: "img", "aria-label": said }),
      h("b", { class: "num" }, milliseconds(one.total_us))));
  const open = () => element.open && element.childElementCount === 1 && element.append(details(one));
  element.addEventListener("toggle", () => {
    if (element.open) opened.add(key(one));
    else opened.delete(key(one));
    open();
  });
  open();
  return element;
}

function details(one) {
  const lines = [
    ...one.steps.map((step) => ({ name: STEPS[step.name][0], spans: [[step, STEPS[step.name][1], STEPS[step.name][0]]] })),
    ...one.sources.filter((source) => source.fetch).map((source) => ({ name: source.name, spans: sourceSpans(source) })),
  ];
  const facts = [tn("One source", "{n} sources", one.sources_total), tn("one result", "{n} results", one.results), describeStatus(one.status).words, one.request && t("request {id}", { id: one.request })];
  return h("div", { class: "timing-details" },
    h("p", { class: "muted" }, facts.filter(Boolean).join(" · ")),
    // The table has the same times.
    h("div", { class: "waterfall", "aria-hidden": "true" }, lines.map((line) => [h("span", { class: "line-name" }, line.name), bar(line.spans, one.total_us, {})])),
    one.sources.length < one.sources_total && h("p", { class: "muted" }, t("{n} of {all} sources are listed.", { n: number(one.sources.length), all: number(one.sources_total) })),
    timeTable(one));
}

const sourceSpans = (source) => [
  [source.fetch, STEPS.sources[1], t("Requests")],
  ...(source.processing ? [[source.processing, STEPS.scoring[1], t("Scoring")]] : []),
];

function timeTable(one) {
  const rows = [
    ...one.steps.map((step) => ({ name: STEPS[step.name][0], span: step })),
    ...one.parts.map((part) => ({ name: PARTS[part.name], span: part })),
    ...one.sources.flatMap((source) => [
      { name: source.name, span: source.fetch, status: describeSourceStatus(source.status), results: source.results },
      source.processing && { name: t("{name}: scoring", { name: source.name }), span: source.processing },
    ]).filter(Boolean),
  ];
  return table(t("Times of search {id}", { id: one.search }), [
    { title: t("Step or source"), cell: (line) => line.name },
    { title: t("Starts after"), kind: "num", cell: (line) => (line.span ? milliseconds(line.span.begin_us) : "–") },
    { title: t("Duration"), kind: "num", cell: (line) => (line.span ? milliseconds(lengthOf(line.span)) : "–") },
    { title: t("Status"), cell: (line) => line.status ?? "" },
    { title: t("Results"), kind: "num", cell: (line) => (line.results === undefined ? "" : number(line.results)) },
  ], rows, "");
}
