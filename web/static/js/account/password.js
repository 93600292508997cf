// Changing one's own password.

import { post } from "../api.js";
import { fill, toast } from "../dom.js";
import { t } from "../words.js";
import { Mistake, field, form } from "./form.js";

const CHARS_MIN = 8;

export async function mount(place) {
  const secret = (label, autocomplete, hint) => field(label, { type: "password", autocomplete, maxlength: 256, required: true }, hint);
  const fields = {
    current: secret(t("Present password"), "current-password"),
    new: secret(t("New password"), "new-password", t("At least {n} characters. A short sentence is good.", { n: CHARS_MIN })),
    again: secret(t("New password once more"), "new-password"),
  };
  const [current, fresh, again] = Object.values(fields).map((one) => one.input);
  fresh.minLength = CHARS_MIN;
  const element = form(fields, t("Change password"), async () => {
    if (fresh.value !== again.value) throw new Mistake("again", t("The two are not the same."));
    await post("/users/me/password/", { current: current.value, new: fresh.value });
    element.reset();
    toast(t("Your password is changed"));
  });
  fill(place, element);
}
