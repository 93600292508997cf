// Copies text to the clipboard.

import { toast } from "../dom.js";
import { t } from "../i18n.js";

/** Says how it went. Where a browser does not allow it, the text can still be selected by hand. */
export async function copy(text, sentence) {
  try {
    await navigator.clipboard.writeText(text);
    toast(sentence);
  } catch {
    toast(t("This browser does not allow copying. Select the text and copy it manually: {text}", { text }), { bad: true });
  }
}
