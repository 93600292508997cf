// Query transforms: rules from a file, and what they make of a query before they are saved.

import { post, prefix } from "../api.js";
import { fill, h, toast } from "../dom.js";
import { t, tn } from "../words.js";
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
    toast(t("{file} is in the form. Try it, then save.", { file: chosen.name }));
  } });
  return h("p", { class: "beside upload" }, h("label", { for: "rules-file" }, t("Take the rules from a CSV file")), file);
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
  return [element, h("p", { class: "muted" }, h("a", { href: `${prefix}/query_transform_form/` }, t("The page for uploads alone")))];
}

const result = (seen) => [
  h("p", {}, t("The query becomes:"), " ", h("b", { class: "becomes" }, seen.query)),
  h("p", { class: "faint" }, tn("one rule", "{n} rules", seen.rules)),
];

const mistakes = (list) => [
  h("p", { class: "mistake" }, tn("There is a mistake in the rules.", "There are {n} mistakes in the rules.", list.length)),
  h("ol", { class: "mistakes" }, list.map((one) => h("li", {}, h("b", {}, t("Line {n}", { n: one.line })), " ", one.message))),
];

const upOnly = () => [h("a", { class: "soft", href: `${prefix}/query_transform_form/` }, t("Upload a CSV file"))];

start({ list: { tools: upOnly }, form: { under: { config_content: upload }, aside: preview } });
