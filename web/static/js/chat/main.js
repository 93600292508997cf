// The Assistant page: message box, conversation, and actions.

import { copy } from "../account/copy.js";
import { showPassages } from "../answer/passages.js";
import { handleRatings } from "../answer/rating.js";
import { all, one } from "../dom.js";
import { t, tn } from "../i18n.js";
import { openAttachDialog } from "./attach.js";
import * as documents from "./attached_documents.js";
import { enableExtractive, explainNoModel } from "./no_model.js";
import * as rail from "./rail.js";
import { stopAnswer, isBusy, sendMessage } from "./send.js";

const conversation = one(".conversation");
const form = one(".compose");
const box = one("textarea", form);

/** Fits the height of the message box to its text; the styles limit it. */
function grow() {
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}

async function submit() {
  const content = box.value.trim();
  if (!content || isBusy() || explainNoModel()) return;
  box.value = "";
  grow();
  const { ai_provider: model, prompt } = form.elements;
  const sources = all("[name=source]:checked", form).map((tick) => Number(tick.value));
  const options = { ai_provider: Number(model?.value) || null, prompt: prompt?.value ?? "", searchprovider_list: sources };
  await sendMessage(content, documents.attachedDocuments(), options);
  grow();
  box.focus();
}

/** Enables extractive answers, and asks what is typed. */
async function useExtractive(button) {
  if (!(await enableExtractive(button))) return;
  box.focus();
  submit();
}

function onClick({ target }) {
  const follow = target.closest("[data-follow]");
  const attachButton = target.closest("[data-attach-document]");
  const copyButton = target.closest("[data-copy]");
  const button = target.closest("[data-serve]");
  if (follow) {
    box.value = follow.dataset.follow;
    submit();
  } else if (attachButton) {
    documents.attachDocument(attachButton.dataset.attachDocument, attachButton.dataset.title);
    box.focus();
  } else if (copyButton) copy(copyButton.dataset.copy, t("Answer copied."));
  else if (button) useExtractive(button);
  else if (target.closest("[data-again]")) sendMessage("", [], {});
  else if (target.closest("[data-attach]")) openAttachDialog();
  else if (target.closest("[data-stop]")) stopAnswer();
}

box.addEventListener("input", grow);
box.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  submit();
});
form.addEventListener("change", () => {
  const summary = one(".choice summary", form);
  const count = all("[name=source]:checked", form).length;
  if (summary) summary.textContent = count ? tn("1 source", "{n} sources", count) : summary.dataset.all;
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  submit();
});
conversation.addEventListener("click", onClick);
showPassages(conversation);
handleRatings(conversation, ".message.theirs", (message) => `/chat/${conversation.dataset.chat}/messages/${message.dataset.message}/rating/`);
documents.handleClicks();
rail.handleClicks();
if (one("#thread").children.length) scrollTo(0, document.documentElement.scrollHeight);
