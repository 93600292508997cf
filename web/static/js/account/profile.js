// Profile section: name, email and groups.

import { patch } from "../api.js";
import { fill, h, toast } from "../dom.js";
import { day, t } from "../i18n.js";
import { field, form } from "./form.js";
import { loadUser } from "./me.js";

export async function mount(place) {
  const user = await loadUser();
  const email = field(t("Email"), { type: "email", value: user.email, maxlength: 254, autocomplete: "email" });
  const fact = (name, ...value) => [h("dt", null, name), h("dd", null, ...value)];
  const groups = user.groups.length ? user.groups.map((group) => h("span", { class: "badge" }, group)) : h("span", { class: "muted" }, t("none"));
  fill(
    place,
    h(
      "dl",
      { class: "facts" },
      fact(t("Username"), user.username, user.is_admin && h("span", { class: "badge pin" }, t("administrator"))),
      fact(t("Groups"), groups),
      fact(t("Member since"), h("span", { class: "num" }, day(user.date_created))),
    ),
    form({ email }, t("Save"), async () => {
      await patch("/users/me/", { email: email.input.value.trim() });
      toast(t("Profile saved"));
    }),
  );
}
