// Copies text to the clipboard.

import { toast } from "../dom.js";
import { t } from "../i18n.js";

/** Shows `sentence` on success. If the browser does not allow copying, the user can still select the text. */
export async function copy(text, sentence) {
  try {
    await navigator.clipboard.writeText(text);
    toast(sentence);
  } catch {
    toast(t("This browser does not allow copying. Select the text and copy it manually: {text}", { text }), { bad: true });
  }
}
