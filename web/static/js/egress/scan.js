// Scans of the user's sent mail: start, follow, cancel, previous scans.

import { del, get, post } from "../api.js";
import { field, form } from "../account/form.js";
import { announce, fill, h, toast } from "../dom.js";
import { number, t, time, tn } from "../i18n.js";
import { POLL_MS, retryDelay } from "./retry.js";

const SHOWN = 5;

const channels = () => ({ outlook: "Outlook", gmail: "Gmail" });
const isFinished = ({ status }) => status !== "queued" && status !== "running";

/** Notifies the list of documents that there may be more. */
export const notifyChanged = () => document.dispatchEvent(new CustomEvent("tributary:egress"));

export async function mount(place) {
  const [{ features }, scans] = await Promise.all([get("/agent/status/"), list()]);
  if (features.cache === false) return fill(place, h("p", { class: "empty-state" }, t("The semantic cache is not enabled, so there is nothing to scan for.")));
  const now = h("div", { class: "scan-now" });
  const before = h("div");
  const show = (all) => {
    const [newest, ...older] = all;
    fill(now, newest && current(newest, follow));
    fill(before, older.length > 0 && h("details", { class: "older" }, h("summary", null, t("Previous scans")), h("ul", { class: "item-list" }, older.slice(0, SHOWN).map((one) => h("li", null, line(one))))));
  };
  const follow = async (scan) => {
    fill(now, current(scan, follow));
    if (!isFinished(scan)) setTimeout(() => poll(scan.scan_id), POLL_MS);
    else show(await list());
  };
  const poll = async (id, failures = 0) => {
    try {
      const scan = await get(`/egress/scan/${id}/`);
      if (isFinished(scan)) {
        announce(outcome(scan));
        notifyChanged();
      }
      await follow(scan);
    } catch (error) {
      const wait = retryDelay(error, failures + 1);
      if (wait === null) now.append(progressNote(error, () => poll(id)));
      else setTimeout(() => poll(id, failures + 1), wait);
    }
  };
  fill(place, scanForm(follow), now, before);
  show(scans);
  if (scans[0] && !isFinished(scans[0])) poll(scans[0].scan_id);
}

async function list() {
  const found = await get("/egress/scan/");
  return Array.isArray(found) ? found : found.results;
}

/** The form that starts a scan. */
function scanForm(follow) {
  const options = [["", t("Connected mailbox")], ...Object.entries(channels())];
  const channel = field(t("Mailbox"), { options });
  const matter_tag = field(t("Only documents of this matter"), { type: "text", maxlength: 200, autocomplete: "off" });
  const date_from = field(t("From"), { type: "date" });
  const date_to = field(t("To"), { type: "date" });
  const fields = { channel, matter_tag, date_from, date_to };
  const place = h("div", { role: "alert" });
  const element = form(fields, t("Scan"), async () => {
    fill(place);
    const request = Object.fromEntries(Object.entries(fields).map(([name, { input }]) => [name, input.value.trim()]).filter(([, value]) => value));
    try {
      await follow(await post("/egress/scan/", request));
    } catch (error) {
      if (error.code === "scan_running" && error.body.scan) await follow(error.body.scan);
      else if (error.status === 424) return fill(place, connectNote(error, await hasServices()));
      throw error;
    }
  });
  element.classList.add("inline", "scan-form");
  return [element, place];
}

/** Whether there is a service that can be connected on the account page. */
const hasServices = async () => (await get("/authenticators/?items=100")).results.some((one) => one.active !== false);

const connectNote = (error, canConnect) =>
  h("p", { class: "note" }, error.message, canConnect && [" ", h("a", { href: "/account/#connections" }, t("Connect your mailbox"))]);

/** Note that the progress is not available. The scan continues without this page. */
function progressNote(error, retry) {
  const onRetry = () => {
    note.remove();
    retry();
  };
  const sentence = t("The progress of the scan is not available: {why} The scan continues in the background.", { why: error.message });
  const note = h("p", { class: "note", role: "alert" }, sentence, " ", h("button", { type: "button", class: "soft small", onclick: onRetry }, t("Try again")));
  return note;
}

function current(scan, follow) {
  const cancel = async ({ currentTarget: button }) => {
    button.disabled = true;
    try {
      await del(`/egress/scan/${scan.scan_id}/`);
      await follow(await get(`/egress/scan/${scan.scan_id}/`));
    } catch (error) {
      button.disabled = false;
      toast(error.message, { bad: true });
    }
  };
  return h("div", { class: "scan-state", "data-status": scan.status },
    line(scan),
    h("p", { class: "meta num" }, counts(scan).map((part) => h("span", null, part))),
    scan.truncated && h("p", { class: "note" }, t("There are more messages than one scan can read. Choose a shorter period to scan the rest.")),
    !isFinished(scan) && h("button", { type: "button", class: "soft small", onclick: cancel }, t("Cancel scan")));
}

const KINDS = { queued: "busy", running: "busy", completed: "good", failed: "bad", cancelled: "warn" };

function line(scan) {
  const when = scan.finished_at ?? scan.started_at ?? scan.created_at;
  return h("p", { class: "line" }, h("span", { class: `state ${KINDS[scan.status] ?? ""}` }, outcome(scan)), h("span", { class: "muted num" }, [channels()[scan.channel] ?? scan.channel, time(when), scan.matter_tag && `#${scan.matter_tag}`].filter(Boolean).join(" · ")));
}

function outcome({ status, error }) {
  if (status === "queued") return t("The scan is queued");
  if (status === "running") return t("Reading your sent mail…");
  if (status === "completed") return t("The scan is complete");
  if (status === "cancelled") return t("The scan was canceled");
  return error || t("The scan failed");
}

const counts = ({ messages_seen: seen, messages_external: external, matches, candidates }) => [
  tn("1 message read", "{n} messages read", seen),
  t("{n} sent outside", { n: number(external) }),
  tn("1 document recognized", "{n} documents recognized", matches),
  tn("1 to review", "{n} to review", candidates),
];
