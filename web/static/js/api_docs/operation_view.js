// The page of an operation: parameters, body, responses; beside it the request, with a form to try it.

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { codeBlock, pretty } from "./code_block.js";
import { exampleOf } from "./example.js";
import { methodBadge, pathText } from "./method_badge.js";
import { line, prose } from "./prose.js";
import { shapeOf } from "./schema.js";
import { fieldName, limits, requiredBadge, schemaView, typeLine } from "./schema_view.js";
import { tryIt } from "./try_it.js";

/**
 * @param {any} source the OpenAPI document
 * @param {import("./operations.js").Operation} operation
 */
export function operationView(source, operation) {
  const { method, path, tag, summary, description, isDeprecated } = operation;
  const example = exampleResponse(source, operation);
  return h(
    "article",
    { class: "operation", "aria-labelledby": "operation-title" },
    h(
      "header",
      { class: "operation-head" },
      h("p", { class: "back" }, h("a", { href: `#tag-${tag}`, class: "group-name" }, tag)),
      h("h1", { id: "operation-title", tabindex: "-1" }, line(summary.replace(/\.$/, ""))),
      h("p", { class: "endpoint" }, methodBadge(method), pathText(path), isDeprecated && h("span", { class: "badge bad" }, t("deprecated"))),
      description && h("div", { class: "prose" }, prose(description)),
      h("p", { class: "muted security" }, security(operation)),
    ),
    h("div", { class: "operation-docs" }, parameters(source, operation), body(source, operation), responses(source, operation)),
    h("aside", { class: "operation-aside", "aria-label": t("Request") }, tryIt(source, operation), example),
  );
}

function security({ security: schemes }) {
  if (!schemes.length) return t("No authentication.");
  const names = schemes.flatMap((name, place) => [place > 0 && ", ", h("code", {}, name)]);
  return [h("a", { href: "#authentication" }, t("Authentication")), ": ", names];
}

function section(id, title, ...content) {
  return h("section", { "aria-labelledby": id }, h("h2", { id }, title), ...content);
}

function parameters(source, { parameters: all }) {
  if (!all.length) return null;
  const places = [["path", t("Path parameters")], ["query", t("Query parameters")], ["header", t("Header parameters")]];
  return places.map(([place, title]) => {
    const chosen = all.filter((one) => one.in === place);
    return chosen.length > 0 && section(`parameters-${place}`, title, parameterTable(source, title, chosen));
  });
}

function parameterTable(source, title, chosen) {
  const row = (parameter) => {
    const schema = { ...parameter.schema, ...(parameter.example === undefined ? {} : { example: parameter.example }) };
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, fieldName(parameter.name), " ", typeLine(source, schema), " ", parameter.required && requiredBadge()),
      h("td", {}, h("p", { class: "field-about" }, line(parameter.description ?? shapeOf(source, schema).schema.description)), limits(source, schema)),
    );
  };
  const heads = [t("Name"), t("Description")].map((name) => h("th", { scope: "col" }, name));
  return h("table", { class: "list parameters", "aria-label": title }, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, chosen.map(row)));
}

function body(source, { body: request }) {
  const [[type, media] = []] = Object.entries(request?.content ?? {});
  if (!media) return null;
  return section(
    "request-body",
    t("Request body"),
    h("p", { class: "body-head" }, typeLine(source, media.schema), h("span", { class: "faint" }, type), request.required && requiredBadge()),
    about(source, request.description, media.schema),
    schemaView(source, media.schema ?? {}),
  );
}

/** The description of a body, or of its schema. */
function about(source, description, schema) {
  const text = description || shapeOf(source, schema ?? {}).schema.description;
  return text ? h("div", { class: "prose" }, prose(text)) : null;
}

function responses(source, operation) {
  return section("responses", t("Responses"), operation.responses.map(([status, response]) => responseRow(source, status, response)));
}

function responseRow(source, status, response) {
  const content = Object.entries(response.content ?? {});
  const headers = Object.entries(response.headers ?? {});
  const head = [h("span", { class: `status is-${status[0]}` }, status === "default" ? t("other") : status), h("span", {}, line(response.description))];
  if (!content.length && !headers.length) return h("div", { class: "response-row" }, head);
  const details = h("details", { class: "response-row" }, h("summary", {}, head));
  details.addEventListener("toggle", () => {
    if (details.children.length > 1) return;
    details.append(h("div", { class: "response-body" }, headers.length > 0 && headerList(source, headers), content.map(([type, media]) => mediaView(source, type, media))));
  });
  return details;
}

function headerList(source, headers) {
  const rows = headers.map(([name, header]) =>
    h("li", {}, h("p", { class: "field-head" }, fieldName(name), typeLine(source, header.schema ?? {})), h("p", { class: "field-about" }, line(header.description))),
  );
  return [h("h3", {}, t("Headers")), h("ul", { class: "schema-fields" }, rows)];
}

function mediaView(source, type, media) {
  return [
    h("p", { class: "body-head" }, media.schema && typeLine(source, media.schema), h("span", { class: "faint" }, type)),
    media.schema && [about(source, "", media.schema), schemaView(source, media.schema)],
  ];
}

/** The body of the first successful response that is JSON. */
function exampleResponse(source, operation) {
  for (const [status, response] of operation.responses) {
    const media = response.content?.["application/json"];
    if (!status.startsWith("2") || !media?.schema) continue;
    const example = media.example ?? exampleOf(source, media.schema, true);
    const label = t("Example response");
    const block = codeBlock({ label, text: pretty(example), isJson: true });
    const head = h("div", { class: "aside-head" }, h("h2", { id: "example-response" }, label), h("span", { class: "status is-2" }, status), block.button);
    return h("section", { class: "aside-card", "aria-labelledby": "example-response" }, head, block.element);
  }
  return null;
}
