// List of chats: rename, export, delete one or all.

import { del, patch, send } from "../api.js";
import { confirmAction } from "../confirm_dialog.js";
import { fill, h, one, toast } from "../dom.js";
import { fragment } from "../fragment.js";
import { t } from "../i18n.js";

const list = () => one("#chat-list");

/** Reloads the list; `open` is the chat that is shown. */
export async function refresh(open = list().dataset.open) {
  list().dataset.open = open;
  const response = await send("GET", `/chat/rail/${open ? `?chat=${open}` : ""}`, undefined, { accept: "text/html" });
  fill(list(), fragment(await response.text()));
  const title = one("li.on > a", list())?.textContent.trim();
  if (title) {
    one(".bar h1").textContent = title;
    document.title = `${title} - ${t("Assistant")} - Tributary`;
  }
}

function rename(row) {
  const link = one("a", row);
  const menu = one("details", row);
  const field = h("input", { type: "text", value: link.textContent.trim(), maxlength: 255, "aria-label": t("Title") });
  let hasEnded = false;
  const end = async (isConfirmed) => {
    if (hasEnded) return;
    hasEnded = true;
    const title = field.value.trim();
    field.replaceWith(link);
    menu.hidden = false;
    if (isConfirmed && title && title !== link.textContent.trim()) {
      await attempt(() => patch(`/chat/${row.dataset.chat}/`, { title }));
    }
    one(`li[data-chat="${row.dataset.chat}"] summary`)?.focus();
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") end(true);
    if (event.key === "Escape") end(false);
  });
  field.addEventListener("blur", () => end(true));
  menu.open = false;
  menu.hidden = true;
  link.replaceWith(field);
  field.select();
  field.focus();
}

/** Runs an action and reloads the list, or shows the error. Returns whether it succeeded. */
async function attempt(action) {
  try {
    await action();
    await refresh();
    return true;
  } catch (error) {
    toast(error.message, { bad: true });
    return false;
  }
}

async function remove(row) {
  const title = one("a", row).textContent.trim();
  const isSure = await confirmAction({
    title: t("Delete this chat?"),
    sentence: t("“{title}” and all its messages will be permanently deleted.", { title }),
    yes: t("Delete"),
  });
  if (!isSure) return;
  const isDone = await attempt(() => del(`/chat/${row.dataset.chat}/`));
  if (isDone && row.dataset.chat === list().dataset.open) location.assign("/chat/");
}

async function removeAll() {
  const isSure = await confirmAction({
    title: t("Delete all chats?"),
    sentence: t("All your chats and messages will be permanently deleted."),
    yes: t("Delete all"),
  });
  if (isSure && (await attempt(() => del("/chat/")))) location.assign("/chat/");
}

/** Downloads an export. An error is shown on this page instead of replacing it. */
async function save(link) {
  try {
    const response = await send("GET", link.getAttribute("href"), undefined, { accept: "*/*" });
    const address = URL.createObjectURL(await response.blob());
    const file = h("a", { href: address, download: link.dataset.export });
    file.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  } catch (error) {
    toast(error.message, { bad: true });
  }
}

export function handleClicks() {
  list().addEventListener("click", (event) => {
    const row = event.target.closest("li[data-chat]");
    const link = event.target.closest("[data-export]");
    if (link) {
      event.preventDefault();
      link.closest("details").open = false;
      save(link);
    } else if (event.target.closest("[data-rename]")) rename(row);
    else if (event.target.closest("[data-delete]")) remove(row);
    else if (event.target.closest("[data-delete-all]")) removeAll();
  });
  const opener = one(".open-chats");
  opener.addEventListener("click", () => {
    const isOpen = list().classList.toggle("is-open");
    opener.setAttribute("aria-expanded", String(isOpen));
  });
}
