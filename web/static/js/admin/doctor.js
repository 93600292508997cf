// Page that adds a source: send a request, review the response, map the fields, test, save.

import { announce, fill, h, one } from "../dom.js";
import { t } from "../i18n.js";
import { requestStep } from "./doctor/request.js";
import { FieldList } from "./doctor/fields.js";
import { Mappings } from "./doctor/mappings.js";
import { SaveForm } from "./doctor/save.js";
import { examineList } from "./doctor/lists.js";
import { Tree } from "./doctor/tree.js";
import { work } from "./components.js";

const step = (number, title, waits) => {
  const body = h("div", { class: "step-body" }, waits && h("p", { class: "muted" }, waits));
  const section = h("section", { class: waits ? "step is-waiting" : "step", id: `step-${number}` },
    h("h2", {}, h("span", { class: "step-number", "aria-hidden": "true" }, number), title), body);
  return { section, body };
};

const steps = [
  step(1, t("Send a sample request")),
  step(2, t("Review the response"), t("The response appears here with the result list highlighted.")),
  step(3, t("Check the fields"), t("Suggestions for the title, text, URL, date and author appear here.")),
  step(4, t("Test and save"), t("Name it, test it with a real query, and save.")),
];

fill(work(),
  h("p", { class: "lead muted" }, t("Paste a request to a JSON or XML API as you would enter it in a browser or a terminal. The configuration is suggested from the response."),
    " ", h("a", { href: "/admin/gallery/" }, t("Browse ready-made sources")), " · ",
    h("a", { href: "/admin/searchproviders/new/" }, t("Expert form"))),
  h("div", { class: "doctor" }, steps[0].section, h("div", { class: "answer-and-fields" }, steps[1].section, steps[2].section), steps[3].section));

fill(steps[0].body, requestStep(show));

/** Shows the steps after a response. `input` is what the user entered, `diagnosis` what the API returned. */
function show(input, diagnosis) {
  const mappings = new Mappings(diagnosis);
  const saveForm = new SaveForm(diagnosis.provider, { request: input.request, query: input.query, mappings });
  const tree = new Tree(mappings, { onchoose, onlist });
  const fields = new FieldList(mappings, diagnosis, { onfield, onchange });
  for (const { section } of steps) section.classList.remove("is-waiting");
  fill(steps[1].body, tree.element);
  fill(steps[2].body, fields.element);
  fill(steps[3].body, saveForm.element);
  one("h2", steps[1].section).setAttribute("tabindex", "-1");
  one("h2", steps[1].section).focus({ preventScroll: true });
  steps[1].section.scrollIntoView({ block: "start", behavior: "smooth" });
  announce(t("Response received. Check the fields, then test and save."));

  function onchoose(path) {
    fields.assign(path);
  }
  function onfield(key, movesFocus) {
    tree.showCurrentField(key);
    if (!movesFocus) return;
    steps[1].section.scrollIntoView({ block: "nearest", behavior: "smooth" });
    tree.focus(key);
  }
  function onchange() {
    tree.mark();
    saveForm.discardTest();
  }
  async function onlist(path) {
    const other = await examineList(diagnosis, path);
    if (other) show(input, other);
  }
}
