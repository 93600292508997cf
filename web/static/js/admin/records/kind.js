// The kind of records that this page is about, as the server declared it, and where its records are.

import { one } from "../../dom.js";
import { t } from "../../words.js";

export const kind = JSON.parse(one("#kind").textContent);

/** The record of the page: its key, `new`, or null for the list. */
export const record = one("#main").dataset.record ?? null;

export const fields = kind.groups.flatMap((group) => group.fields);

export const title = one("h1").textContent;

export const listPage = `/admin/${kind.slug}/`;
export const pageOf = (key) => `${listPage}${encodeURIComponent(key)}/`;
export const apiOf = (key) => `${kind.api}${encodeURIComponent(key)}/`;

/** By what people know a record. */
export const nameOf = (row) => row[kind.named_by] || t("without a name");

/** What a field is called. */
export const labelOf = (name) => t(fields.find((field) => field.name === name)?.label ?? name);
