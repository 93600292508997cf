// The words of elections, in the language of the page.

import { t } from "../words.js";

export const reasons = () => ({
  wrong_version: t("Wrong version"),
  wrong_document: t("Wrong document"),
  not_authoritative: t("Not authoritative"),
  duplicate: t("A duplicate"),
  outdated: t("Outdated"),
  other: t("Another reason"),
});

/** In the order in which they are drawn. */
export const factors = () => ({
  source_authority: t("Authority of its source"),
  naming: t("Its name"),
  recency: t("How new it is"),
  format: t("Its format"),
  egress_external: t("Shared outside"),
  pin: t("Pinned for another query"),
  rejection: t("Rejected before"),
});

const STATUS = () => ({
  pending: ["", t("waiting")],
  auto_elected: ["", t("waiting, shown first")],
  approved: ["good", t("approved")],
  rejected: ["bad", t("rejected")],
  superseded: ["quiet", t("superseded by a newer one")],
  stale: ["quiet", t("nobody decided")],
});

/** `[kind of badge, words]` of an election. */
export const status = (word) => STATUS()[word] ?? ["", word];

export const isOpen = ({ status: word }) => word === "pending" || word === "auto_elected";
