// Labels of the fields.

import { t } from "../../i18n.js";

export const LABELS = {
  title: t("Title"),
  body: t("Text"),
  url: t("URL"),
  date_published: t("Date"),
  author: t("Author"),
};
