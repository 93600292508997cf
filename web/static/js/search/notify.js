// Subscribes to a search without results, from the message that there are none.

import { announce, fill, one, toast } from "../dom.js";
import { loadSearch, setAlerts, setSubscribed } from "../history/operations.js";

/** With alerts, if the service sends them. */
export async function subscribe(button) {
  if (button.ariaBusy) return;
  // A disabled button would lose the focus.
  button.ariaBusy = "true";
  const page = one("#page");
  try {
    const search = await setSubscribed(await loadSearch(Number(page.dataset.search)), true);
    if (page.dataset.alerts !== undefined) await setAlerts(search, true);
    const message = button.closest("p");
    message.tabIndex = -1;
    fill(message, button.dataset.notify).focus();
    announce(message.textContent);
  } catch (error) {
    button.ariaBusy = null;
    toast(error.message, { bad: true });
  }
}
