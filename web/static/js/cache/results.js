// Cached copies on the search page: save, check, remove.

import { announce, h, one, toast } from "../dom.js";
import { t } from "../i18n.js";
import { checkLiveness, removeCopy, saveCopy, livenessText } from "./actions.js";

const page = one("#page");

/** Runs the action of a button of a result. */
export async function runAction(button) {
  if (button.ariaBusy) return;
  const result = button.closest(".result");
  // A disabled button would lose the focus.
  button.ariaBusy = "true";
  try {
    if (button.matches("[data-pin], [data-unpin], [data-reject]")) await onDecision(button, result);
    else if (button.matches("[data-save-copy]")) await onSave(button, result);
    else if (button.matches("[data-check]")) await onCheck(result);
    else await onRemove(result, button.dataset.forAll !== undefined);
  } catch (error) {
    toast(error.message, { bad: true });
  } finally {
    button.ariaBusy = null;
  }
}

const titleOf = (result) => one("h2", result).textContent.trim();
const signalOf = (result) => Number(one(".cached", result).dataset.signal);

async function onSave(button, result) {
  const before = button.textContent;
  button.textContent = t("Saving a copy…");
  let answer;
  try {
    answer = await saveCopy(Number(page.dataset.search), Number(result.dataset.id));
  } catch (error) {
    button.textContent = before;
    throw error;
  }
  const isSaved = answer.state !== "known";
  const message = isSaved ? t("Copy saved") : t("The copy will be available soon");
  const link = h("a", { href: "/account/#documents", class: "save-copy", "data-done": true }, message);
  button.replaceWith(link);
  link.focus({ preventScroll: true });
  announce(`${message}: ${titleOf(result)}`);
}

/** Loads the module on demand, because only curators need it. */
async function onDecision(button, result) {
  const { decide } = await import("../versions/results.js");
  await decide(button, result);
}

async function onCheck(result) {
  const answer = await checkLiveness(signalOf(result));
  const message = livenessText(answer);
  const line = one(".fresh", result);
  line.className = `fresh ${answer.verdict}`;
  line.title = answer.checked_at ?? "";
  line.textContent = message;
  announce(`${message}: ${titleOf(result)}`);
}

async function onRemove(result, isForAll) {
  const title = titleOf(result);
  if (!(await removeCopy(signalOf(result), title, isForAll))) return;
  const next = result.nextElementSibling ?? result.previousElementSibling;
  result.remove();
  next?.focus({ preventScroll: true });
  toast(t("Removed the copy of “{title}”", { title }));
}
