// The resource of this page as declared by the server, and the paths of its records.

import { one } from "../../dom.js";
import { t } from "../../i18n.js";

export const resource = JSON.parse(one("#resource").textContent);

/** The record of the page: its key, `new`, or null for the list. */
export const record = one("#main").dataset.record ?? null;

export const fields = resource.groups.flatMap((group) => group.fields);

/** The name of the list. */
export const { title } = one("#main").dataset;

export const listPage = `/admin/${resource.slug}/`;
export const pageOf = (key) => `${listPage}${encodeURIComponent(key)}/`;
export const apiOf = (key) => `${resource.api}${encodeURIComponent(key)}/`;

/** The display name of a record. */
export const nameOf = (row) => row[resource.named_by] || t("unnamed");

/** The label of a field. */
export const labelOf = (name) => t(fields.find((field) => field.name === name)?.label ?? name);
