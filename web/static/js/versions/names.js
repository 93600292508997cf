// Translated names of elections.

import { t } from "../i18n.js";

export const reasons = () => ({
  wrong_version: t("Wrong version"),
  wrong_document: t("Wrong document"),
  not_authoritative: t("Not authoritative"),
  duplicate: t("Duplicate"),
  outdated: t("Outdated"),
  other: t("Other reason"),
});

/** In the order in which they are shown. */
export const factors = () => ({
  source_authority: t("Source authority"),
  naming: t("Naming"),
  recency: t("Recency"),
  format: t("Format"),
  egress_external: t("Sent outside"),
  pin: t("Pinned for another query"),
  rejection: t("Previously rejected"),
});

const STATUS = () => ({
  pending: ["", t("waiting")],
  auto_elected: ["", t("waiting, shown first")],
  approved: ["good", t("approved")],
  rejected: ["bad", t("rejected")],
  superseded: ["quiet", t("superseded")],
  stale: ["quiet", t("undecided")],
});

/** `[kind of badge, text]` of the status of an election. */
export const status = (word) => STATUS()[word] ?? ["", word];

export const isOpen = ({ status: word }) => word === "pending" || word === "auto_elected";
