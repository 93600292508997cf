// Password change.

import { post } from "../api.js";
import { fill, toast } from "../dom.js";
import { t } from "../i18n.js";
import { ValidationError, field, form } from "./form.js";

const CHARS_MIN = 8;

export async function mount(place) {
  const secret = (label, autocomplete, hint) => field(label, { type: "password", autocomplete, maxlength: 256, required: true }, hint);
  const fields = {
    current: secret(t("Current password"), "current-password"),
    new: secret(t("New password"), "new-password", t("At least {n} characters. A passphrase works well.", { n: CHARS_MIN })),
    again: secret(t("Confirm new password"), "new-password"),
  };
  const [current, fresh, again] = Object.values(fields).map((one) => one.input);
  fresh.minLength = CHARS_MIN;
  const element = form(fields, t("Change password"), async () => {
    if (fresh.value !== again.value) throw new ValidationError("again", t("The passwords do not match."));
    await post("/users/me/password/", { current: current.value, new: fresh.value });
    element.reset();
    toast(t("Password changed"));
  });
  fill(place, element);
}
