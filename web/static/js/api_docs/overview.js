// The first page: what the API is, how programs sign in, and all operations.

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { codeBlock } from "./code_block.js";
import { methodBadge, pathText } from "./method_badge.js";
import { line, prose } from "./prose.js";
import { curlOf } from "./request.js";

/**
 * @param {any} source the OpenAPI document
 * @param {import("./operations.js").Group[]} groups
 */
export function overview(source, groups, prefix) {
  const { title, version, description } = source.info;
  return h(
    "div",
    { class: "overview" },
    h("h1", { tabindex: "-1" }, t("{name} API", { name: title }), " ", h("span", { class: "version" }, version)),
    h("div", { class: "prose lead" }, prose(description)),
    h("p", { class: "links" }, h("a", { href: `${prefix}/api/schema/` }, t("OpenAPI document")), h("a", { href: "/account/#tokens" }, t("API tokens"))),
    authentication(source, prefix),
    groups.map(group),
  );
}

function authentication(source, prefix) {
  const schemes = Object.entries(source.components?.securitySchemes ?? {});
  const example = curlOf({ method: "GET", url: `${prefix}/search/`, headers: { accept: "application/json" }, body: undefined }, location.origin, true);
  const block = codeBlock({ label: t("Example request"), text: example });
  return h(
    "section",
    { class: "group", "aria-labelledby": "authentication" },
    h("h2", { id: "authentication" }, t("Authentication")),
    h("p", { class: "muted" }, t("Programs send one of these with each request. This page uses your session.")),
    h("dl", { class: "schemes" }, schemes.flatMap(([name, scheme]) => [h("dt", {}, h("code", {}, name)), h("dd", {}, schemeText(scheme))])),
    h("p", { class: "code-head" }, t("Example request"), block.button),
    block.element,
  );
}

function schemeText({ type, scheme, bearerFormat, name, description }) {
  if (type !== "http") return [`${name}: `, description ? line(description) : "…"];
  const isBasic = scheme === "basic";
  return ["Authorization: ", h("code", {}, isBasic ? "Basic …" : "Bearer …"), ` (${isBasic ? t("username and password") : (bearerFormat ?? scheme)})`];
}

function group({ name, description, operations }) {
  const link = ({ id, method, path, summary }) =>
    h("li", {}, h("a", { href: `#${id}` }, methodBadge(method), pathText(path), h("span", { class: "summary" }, line(summary))));
  return h(
    "section",
    { class: "group", "aria-labelledby": `tag-${name}` },
    h("h2", { id: `tag-${name}`, class: "group-name" }, name),
    description && h("p", { class: "muted" }, line(description)),
    h("ul", { class: "operation-rows" }, operations.map(link)),
  );
}
