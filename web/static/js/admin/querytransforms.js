// Query transforms page: rules from a file, and a preview on a query.

import { post, prefix } from "../api.js";
import { fill, h, toast } from "../dom.js";
import { t, tn } from "../i18n.js";
import { start } from "./records/page.js";

const FILE_BYTES_MAX = 1024 * 1024;

/** Reads a CSV file into the rules. */
function upload(form) {
  const file = h("input", { type: "file", id: "rules-file", accept: ".csv,text/csv,text/plain", onchange: async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    if (chosen.size > FILE_BYTES_MAX) return toast(t("The file is too large."), { bad: true });
    form.fields.get("config_content").write(await chosen.text());
    const name = form.fields.get("name");
    if (!name.read()) name.write(chosen.name.replace(/\.[^.]*$/, "").replaceAll(".", "_"));
    toast(t("{file} loaded. Try it, then save.", { file: chosen.name }));
  } });
  return h("p", { class: "beside upload" }, h("label", { for: "rules-file" }, t("Load rules from a CSV file")), file);
}

/** Applies the rules in the form to a query. */
function preview(form) {
  const query = h("input", { type: "text", id: "test-query", maxlength: "2048", placeholder: "mobiles phone" });
  const answer = h("div", { class: "test-result", "aria-live": "polite" });
  const submit = async (event) => {
    event.preventDefault();
    const values = form.values();
    if (!values) return;
    try {
      const { qrx_type, config_content } = values;
      const response = await post("/querytransforms/preview/", { qrx_type, config_content, query: query.value });
      fill(answer, response.mistakes.length ? errorList(response.mistakes) : result(response));
    } catch (error) {
      fill(answer);
      form.showErrors(error);
    }
  };
  return h("section", { class: "card" }, h("h2", {}, t("Try it on a query")),
    h("form", { class: "test-form", onsubmit: submit }, h("label", { for: "test-query" }, t("Query")), h("div", { class: "beside" }, query, h("button", { class: "go" }, t("Preview")))), answer);
}

const result = (response) => [
  h("p", {}, t("Resulting query:"), " ", h("b", { class: "becomes" }, response.query)),
  h("p", { class: "faint" }, tn("one rule", "{n} rules", response.rules)),
];

const errorList = (list) => [
  h("p", { class: "field-error" }, tn("The rules contain an error.", "The rules contain {n} errors.", list.length)),
  h("ol", { class: "error-list" }, list.map((one) => h("li", {}, h("b", {}, t("Line {n}", { n: one.line })), " ", one.message))),
];

const uploadLink = () => [h("a", { class: "soft", href: `${prefix}/query_transform_form/` }, t("Upload a CSV file"))];

start({ list: { tools: uploadLink }, form: { under: { config_content: upload }, aside: preview } });
