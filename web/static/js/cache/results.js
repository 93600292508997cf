// Cached copies on the search page: save, check, remove.

import { announce, h, one, toast } from "../dom.js";
import { t } from "../i18n.js";
import { check, forget, keep, verdict } from "./actions.js";

const page = one("#page");

one("#results").addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-keep], [data-check], [data-forget], [data-pin], [data-unpin], [data-reject]");
  if (!button || button.ariaBusy) return;
  const result = button.closest(".result");
  // Not disabled: the focus would be lost.
  button.ariaBusy = "true";
  try {
    if (button.matches("[data-pin], [data-unpin], [data-reject]")) await decided(button, result);
    else if (button.matches("[data-keep]")) await kept(button, result);
    else if (button.matches("[data-check]")) await checked(result);
    else await forgotten(result, button.dataset.forAll !== undefined);
  } catch (error) {
    toast(error.message, { bad: true });
  } finally {
    button.ariaBusy = null;
  }
});

const titleOf = (result) => one("h2", result).textContent.trim();
const signalOf = (result) => Number(one(".cached", result).dataset.signal);

async function kept(button, result) {
  const before = button.textContent;
  button.textContent = t("Saving a copy…");
  let answer;
  try {
    answer = await keep(Number(page.dataset.search), Number(result.dataset.id));
  } catch (error) {
    button.textContent = before;
    throw error;
  }
  const isThere = answer.state !== "known";
  const said = isThere ? t("Copy saved") : t("The copy will be available soon");
  const link = h("a", { href: "/account/#documents", class: "keep", "data-done": true }, said);
  button.replaceWith(link);
  link.focus({ preventScroll: true });
  announce(`${said}: ${titleOf(result)}`);
}

/** Only curators decide, so that nobody else loads how. */
async function decided(button, result) {
  const { decide } = await import("../versions/results.js");
  await decide(button, result);
}

async function checked(result) {
  const answer = await check(signalOf(result));
  const said = verdict(answer);
  const line = one(".fresh", result);
  line.className = `fresh ${answer.verdict}`;
  line.title = answer.checked_at ?? "";
  line.textContent = said;
  announce(`${said}: ${titleOf(result)}`);
}

async function forgotten(result, isForAll) {
  const title = titleOf(result);
  if (!(await forget(signalOf(result), title, isForAll))) return;
  const next = result.nextElementSibling ?? result.previousElementSibling;
  result.remove();
  next?.focus({ preventScroll: true });
  toast(t("Removed the copy of “{title}”", { title }));
}
