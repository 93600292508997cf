// The names of the fields for people.

import { t } from "../../words.js";

export const LABELS = {
  title: t("Title"),
  body: t("Text"),
  url: t("Address"),
  date_published: t("Date"),
  author: t("Author"),
};
