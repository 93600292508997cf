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

/** Tries the rules in the form on a query. */
function preview(form) {
  const query = h("input", { type: "text", id: "trial-query", maxlength: "2048", placeholder: "mobiles phone" });
  const answer = h("div", { class: "trial-answer", "aria-live": "polite" });
  const submit = async (event) => {
    event.preventDefault();
    const values = form.values();
    if (!values) return;
    try {
      const { qrx_type, config_content } = values;
      const seen = await post("/querytransforms/preview/", { qrx_type, config_content, query: query.value });
      fill(answer, seen.mistakes.length ? mistakes(seen.mistakes) : result(seen));
    } catch (error) {
      fill(answer);
      form.refused(error);
    }
  };
  const element = h("section", { class: "card" }, h("h3", {}, t("Try it on a query")),
    h("form", { class: "trial", onsubmit: submit }, h("label", { for: "trial-query" }, t("Query")), h("div", { class: "beside" }, query, h("button", { class: "go" }, t("Preview")))), answer);
  return [element, h("p", { class: "muted" }, h("a", { href: `${prefix}/query_transform_form/` }, t("Upload page")))];
}

const result = (seen) => [
  h("p", {}, t("Resulting query:"), " ", h("b", { class: "becomes" }, seen.query)),
  h("p", { class: "faint" }, tn("one rule", "{n} rules", seen.rules)),
];

const mistakes = (list) => [
  h("p", { class: "mistake" }, tn("The rules contain an error.", "The rules contain {n} errors.", list.length)),
  h("ol", { class: "mistakes" }, list.map((one) => h("li", {}, h("b", {}, t("Line {n}", { n: one.line })), " ", one.message))),
];

const upOnly = () => [h("a", { class: "soft", href: `${prefix}/query_transform_form/` }, t("Upload a CSV file"))];

start({ list: { tools: upOnly }, form: { under: { config_content: upload }, aside: preview } });
