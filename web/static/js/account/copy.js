// Copies text for the person to paste elsewhere.

import { toast } from "../dom.js";
import { t } from "../words.js";

/** Says how it went. Where a browser does not allow it, the text can still be selected by hand. */
export async function copy(text, sentence) {
  try {
    await navigator.clipboard.writeText(text);
    toast(sentence);
  } catch {
    toast(t("This browser does not allow copying. Select the text and copy it by hand: {text}", { text }), { bad: true });
  }
}
