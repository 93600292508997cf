// Log viewer: a tab for each file, the last lines, filters by level and text, follow, download.

import { get, prefix } from "../api.js";
import { fill, h } from "../dom.js";
import { number, t, time, tn } from "../i18n.js";
import { errorAlert, segments, loadInto, toggle, work } from "./components.js";
import { filterLines, parseLine } from "./logs/lines.js";

const LINES = [50, 200, 500, 1000, 5000];
const FOLLOW_MS = 3000;

let file = null;
let lines = [];
let isCut = false;
const amount = h("select", {}, LINES.map((one) => h("option", { value: one, selected: one === 500 }, number(one))));
const filter = h("input", { type: "search", autocomplete: "off", spellcheck: "false", maxlength: 200 });
const level = h("select", {}, [["", t("All")], ["ERROR", t("Errors")], ["WARN", t("Warnings and errors")], ["INFO", t("Without details")]].map(([value, label]) => h("option", { value }, label)));
const files = toggle(t("Requests for files"), false, () => draw());
const follow = toggle(t("Follow"), false, () => isFollowing() && load());
const download = h("a", { class: "soft push" }, t("Download"));
const count = h("p", { class: "muted", role: "status" });
const box = h("pre", { class: "log", tabindex: "0", role: "region", "aria-label": t("Log lines") });
const failed = h("div");
const place = h("div");
fill(work(), place);
amount.addEventListener("change", load);
filter.addEventListener("input", draw);
level.addEventListener("change", draw);
loadInto(place, "/logs/", viewer);
setInterval(() => isFollowing() && document.visibilityState === "visible" && load(), FOLLOW_MS);

const isOn = (label) => label.querySelector("input").checked;
const isFollowing = () => file !== null && isOn(follow);

function viewer(found) {
  if (!found.length) return h("p", { class: "note" }, t("No log files yet. They are written to the logs folder in SVC_DATA_DIR."));
  file = found[0].name;
  queueMicrotask(load);
  const size = (one) => t("{size} kB, {time}", { size: number(Math.ceil(one.size / 1024)), time: one.modified ? time(one.modified) : "–" });
  const about = h("span", { class: "muted" }, size(found[0]));
  const tabs = segments(t("Files"), found.map((one) => [one.name, one.name]), file, (name) => {
    file = name;
    about.textContent = size(found.find((one) => one.name === name));
    load();
  });
  return [
    h("div", { class: "tools" }, tabs, about),
    h("div", { class: "tools" }, h("label", { class: "grow" }, t("Filter"), filter), h("label", {}, t("Level"), level), h("label", {}, t("Lines"), amount), files, follow, download),
    failed, count, box,
  ];
}

async function load() {
  download.href = `${prefix}/logs/${encodeURIComponent(file)}/?download=true`;
  try {
    const answer = await get(`/logs/${encodeURIComponent(file)}/?lines=${amount.value}`);
    fill(failed);
    lines = answer.lines;
    isCut = answer.is_cut;
    draw();
  } catch (error) {
    fill(failed, errorAlert(error, load));
  }
}

function draw() {
  const found = filterLines(lines, { level: level.value, text: filter.value.trim().toLowerCase(), withFiles: isOn(files) });
  const isFiltered = found.length < lines.length;
  const wasAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 40;
  fill(box, found.map(colored));
  count.textContent = isFiltered ? t("{n} of {all} lines", { n: number(found.length), all: number(lines.length) }) : tn("One line", "{n} lines", lines.length);
  if (isCut) count.textContent += ` · ${t("older lines are in the file")}`;
  if (!found.length) box.textContent = lines.length ? t("No matching lines.") : t("The file is empty.");
  if (wasAtEnd || isFollowing()) box.scrollTop = box.scrollHeight;
}

const CLASSES = { ERROR: "is-bad", WARN: "is-warn", INFO: "is-info", DEBUG: "is-debug", TRACE: "is-debug" };

/** A line with its time and its level set off; all of an error or a warning has its color. */
function colored(line) {
  const { time: when, level: word, text } = parseLine(line);
  const isSevere = word === "ERROR" || word === "WARN";
  const head = when ? [h("span", { class: "log-time" }, when), " ", h("span", { class: `log-level ${CLASSES[word]}` }, word.padEnd(5)), " "] : [];
  return h("span", { class: isSevere ? CLASSES[word] : null }, head, text, "\n");
}
