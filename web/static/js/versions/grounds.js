// Reasons for the score of a version, translated.

import { number, t, tn } from "../i18n.js";

/** The reasons of a member as sentences. A reason that this page does not know is shown as the API returns it. */
export const reasonTexts = (member) => (member.grounds ?? []).map((ground, place) => SENTENCES[ground.code]?.(ground) ?? member.reasons[place]);

const SENTENCES = {
  below_least: ({ relevance, least }) => t("Its confidence of {relevance} is below the minimum of {least}.", { relevance: number(relevance), least: number(least) }),
  below_share: ({ relevance, least, share }) => t("Its confidence of {relevance} is below {least}, {share}% of the best.", { relevance: number(relevance), least: number(least), share: number(share * 100) }),
  gone: () => t("The source reports that it no longer exists."),
  authority_configured: () => t("An authority is configured for its source."),
  source_kind: ({ kind }) => SOURCES[kind]?.(),
  name: ({ stages, is_numbered_copy: isCopy, version }) => t("Its name contains {what}.", { what: [
    ...stages.map((word) => t("“{word}”", { word })),
    isCopy && t("a copy number in parentheses"),
    version && t("version {version}", { version }),
  ].filter(Boolean).join(", ") }),
  newest: () => t("There is no newer version."),
  older: ({ days }) => tn("It is one day older than the newest version.", "It is {n} days older than the newest version.", days),
  date_ahead: () => t("Its date is in the future and is ignored."),
  date_unknown: () => t("Its date is unknown."),
  format: ({ format }) => FORMATS[format]?.(),
  shared_outside: () => t("It was sent outside the organization."),
  pinned_elsewhere: () => t("It is pinned for another query."),
  rejected: () => t("It was rejected for this query."),
  rejected_elsewhere: ({ times }) => tn("It was rejected for another query.", "It was rejected for {n} other queries.", times),
};

const SOURCES = {
  dms: () => t("Its source is a document management system."),
  wiki: () => t("Its source is a wiki."),
  drive: () => t("Its source is a drive."),
  db: () => t("Its source is a database."),
  chat: () => t("Its source is a chat."),
  mail: () => t("Its source is a mailbox."),
  web: () => t("Its source is the web."),
};

const FORMATS = {
  pdf: () => t("It is a PDF."),
  text_document: () => t("It is a text document."),
  slides_or_table: () => t("It is a presentation or a spreadsheet."),
  page: () => t("It is a web page."),
  mail: () => t("It is an email."),
  other: () => t("It has a different format."),
};
