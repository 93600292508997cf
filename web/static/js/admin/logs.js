// Log viewer: a tab for each file, the last lines, filter, follow, download.

import { get, prefix } from "../api.js";
import { fill, h } from "../dom.js";
import { number, t, time, tn } from "../i18n.js";
import { errorAlert, segments, loadInto, toggle, work } from "./components.js";

const LINES = [50, 200, 500, 1000, 5000];
const FOLLOW_MS = 3000;

let file = null;
let lines = [];
let isCut = false;
const amount = h("select", {}, LINES.map((one) => h("option", { value: one, selected: one === 500 }, number(one))));
const filter = h("input", { type: "search", autocomplete: "off", spellcheck: "false", maxlength: 200 });
const follow = toggle(t("Follow"), false, () => isFollowing() && load());
const download = h("a", { class: "soft push" }, t("Download"));
const count = h("p", { class: "muted", role: "status" });
const box = h("pre", { class: "log", tabindex: "0", role: "region", "aria-label": t("Log lines") });
const failed = h("div");
const place = h("div");
fill(work(), place);
amount.addEventListener("change", load);
filter.addEventListener("input", draw);
loadInto(place, "/logs/", viewer);
setInterval(() => isFollowing() && document.visibilityState === "visible" && load(), FOLLOW_MS);

const isFollowing = () => file !== null && follow.querySelector("input").checked;

function viewer(files) {
  if (!files.length) return h("p", { class: "note" }, t("No log files yet. They are written to the logs folder in SVC_DATA_DIR."));
  file = files[0].name;
  queueMicrotask(load);
  const size = (one) => t("{size} kB, {time}", { size: number(Math.ceil(one.size / 1024)), time: one.modified ? time(one.modified) : "-" });
  const about = h("span", { class: "muted" }, size(files[0]));
  const tabs = segments(t("Files"), files.map((one) => [one.name, one.name]), file, (name) => {
    file = name;
    about.textContent = size(files.find((one) => one.name === name));
    load();
  });
  return [
    h("div", { class: "tools" }, tabs, about),
    h("div", { class: "tools" }, h("label", { class: "grow" }, t("Filter"), filter), h("label", {}, t("Lines"), amount), follow, download),
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
  const wanted = filter.value.trim().toLowerCase();
  const found = wanted ? lines.filter((line) => line.toLowerCase().includes(wanted)) : lines;
  const wasAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 40;
  fill(box, found.flatMap((line) => [colored(line), "\n"]));
  count.textContent = wanted ? t("{n} of {all} lines", { n: number(found.length), all: number(lines.length) }) : tn("One line", "{n} lines", lines.length);
  if (isCut) count.textContent += ` · ${t("older lines are in the file")}`;
  if (!found.length) box.textContent = wanted ? t("No matching lines.") : t("The file is empty.");
  if (wasAtEnd || isFollowing()) box.scrollTop = box.scrollHeight;
}

function colored(line) {
  const level = /\bERROR\b/.test(line) ? "is-bad" : /\bWARN\b/.test(line) ? "is-warn" : null;
  return level ? h("span", { class: level }, line) : line;
}
