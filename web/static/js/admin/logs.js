// Log viewer: the last lines of a file, filters by level and text, follow, download.

import { get, prefix } from "../api.js";
import { fill, h } from "../dom.js";
import { number, t, tn } from "../i18n.js";
import { errorAlert, loadInto, toggle, work } from "./components.js";
import { filterLines, parseLine, parseMessage } from "./logs/lines.js";

const LINES = [50, 200, 500, 1000, 5000];
const FOLLOW_MS = 3000;

let file = null;
let lines = [];
let isCut = false;
const amount = h("select", {}, LINES.map((one) => h("option", { value: one, selected: one === 500 }, number(one))));
const filter = h("input", { type: "search", autocomplete: "off", spellcheck: "false", maxlength: 200 });
const level = h("select", {}, [["", t("All")], ["INFO", t("Info and above")], ["WARN", t("Warnings and errors")], ["ERROR", t("Errors")]].map(([value, label]) => h("option", { value }, label)));
const withFiles = toggle(t("Requests for files"), false, () => draw());
const follow = toggle(t("Follow"), false, () => isFollowing() && load());
const download = h("a", { class: "soft" }, t("Download"));
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
  const sized = (one) => t("{name}, {size} kB", { name: one.name, size: number(Math.ceil(one.size / 1024)) });
  const files = h("select", { onchange: () => { file = files.value; load(); } }, found.map((one) => h("option", { value: one.name }, sized(one))));
  file = found[0].name;
  queueMicrotask(load);
  return [
    h("div", { class: "tools" }, h("label", { class: "some" }, t("File"), files), h("label", { class: "grow" }, t("Filter"), filter), h("label", {}, t("Level"), level), h("label", {}, t("Lines"), amount)),
    h("div", { class: "tools" }, count, h("span", { class: "push" }), withFiles, follow, download),
    failed, box,
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
  const found = filterLines(lines, { level: level.value, text: filter.value.trim().toLowerCase(), withFiles: isOn(withFiles) });
  const isFiltered = found.length < lines.length;
  const wasAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 40;
  fill(box, found.map(colored));
  count.textContent = isFiltered ? t("{n} of {all} lines", { n: number(found.length), all: number(lines.length) }) : tn("One line", "{n} lines", lines.length);
  if (isCut) count.textContent += ` · ${t("older lines are in the file")}`;
  if (!found.length) box.textContent = lines.length ? t("No matching lines.") : t("The file is empty.");
  if (wasAtEnd || isFollowing()) box.scrollTop = box.scrollHeight;
}

const CLASSES = { ERROR: "is-bad", WARN: "is-warn", INFO: "is-info", DEBUG: "is-debug", TRACE: "is-debug" };

/** A line with its time and its level set off; all of an error or a warning has its color. What surrounds the message is faint. */
function colored(line) {
  const { time: when, level: word, text } = parseLine(line);
  const isSevere = word === "ERROR" || word === "WARN";
  const head = when ? [h("span", { class: "log-time" }, when), " ", h("span", { class: `log-level ${CLASSES[word]}` }, word.padEnd(5)), " "] : [];
  const { before, message, after } = when ? parseMessage(text) : { before: "", message: text, after: "" };
  return h("span", { class: isSevere ? CLASSES[word] : null }, head, before && h("span", { class: "log-context is-before" }, before), message, after && h("span", { class: "log-context" }, after), "\n");
}
