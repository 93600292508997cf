// Groups page: the members of a group, and the sources that only they can see.

import { get } from "../api.js";
import { t } from "../i18n.js";
import { memberCard } from "./groups/member_card.js";
import { start } from "./records/page.js";

const USERS = {
  title: () => t("Members"), empty: () => t("No members yet."), add: () => t("Add a member"), unknown: () => t("There is no such user."),
  api: "/users/", page: "/admin/users/", name: "username",
};
const SOURCES = {
  title: () => t("Sources"), empty: () => t("No sources yet."), add: () => t("Add a source"), unknown: () => t("There is no such source."),
  api: "/searchproviders/", page: "/admin/searchproviders/", name: "name",
};

/** The numbers of members and sources of each group, by its id. */
async function countMembers() {
  const [groups, users, sources] = await Promise.all([get("/groups/"), get(USERS.api), get(SOURCES.api)]);
  const countIn = (rows, name) => rows.filter((row) => row.groups?.includes(name)).length;
  return new Map(groups.map(({ id, name }) => [id, { members: countIn(users, name), sources: countIn(sources, name) }]));
}

start({ list: { states: countMembers }, form: { after: (form) => !form.isNew && [memberCard(form, USERS), memberCard(form, SOURCES)] } });
