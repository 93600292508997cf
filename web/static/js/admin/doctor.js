// Adding a source on one page: ask it, look at its answer, point at the fields, test, save.

import { announce, fill, h, one } from "../dom.js";
import { t } from "../words.js";
import { askStep } from "./doctor/ask.js";
import { FieldList } from "./doctor/fields.js";
import { Mappings } from "./doctor/mappings.js";
import { Saving } from "./doctor/save.js";
import { examineList } from "./doctor/lists.js";
import { Tree } from "./doctor/tree.js";
import { work } from "./parts.js";

const step = (number, title, waits) => {
  const body = h("div", { class: "step-body" }, waits && h("p", { class: "muted" }, waits));
  const section = h("section", { class: waits ? "step is-waiting" : "step", id: `step-${number}` },
    h("h2", {}, h("span", { class: "step-number", "aria-hidden": "true" }, number), title), body);
  return { section, body };
};

const steps = [
  step(1, t("Ask the source")),
  step(2, t("Look at its answer"), t("The answer appears here, with the list of results marked.")),
  step(3, t("Check the fields"), t("What becomes the title, the text, the address, the date and the author is proposed here.")),
  step(4, t("Test and save"), t("A name, a real question, and the source is there.")),
];

fill(work(),
  h("p", { class: "lead muted" }, t("Paste a request to a JSON or XML API as you would type it into a browser or a terminal. The rest is proposed."),
    " ", h("a", { href: "/admin/gallery/" }, t("Many sources are ready already.")), " ",
    h("a", { href: "/admin/searchproviders/new/" }, t("Write it by hand"))),
  h("div", { class: "doctor" }, steps[0].section, h("div", { class: "answer-and-fields" }, steps[1].section, steps[2].section), steps[3].section));

fill(steps[0].body, askStep(show));

/** The page after an answer: `asked` is what was sent, `diagnosis` what came back. */
function show(asked, diagnosis) {
  const mappings = new Mappings(diagnosis);
  const saving = new Saving(diagnosis.provider, { request: asked.request, query: asked.query, mappings });
  const tree = new Tree(mappings, { onchoose, onlist });
  const fields = new FieldList(mappings, diagnosis, { onfield, onchange });
  for (const { section } of steps) section.classList.remove("is-waiting");
  fill(steps[1].body, tree.element);
  fill(steps[2].body, fields.element);
  fill(steps[3].body, saving.element);
  one("h2", steps[1].section).setAttribute("tabindex", "-1");
  one("h2", steps[1].section).focus({ preventScroll: true });
  steps[1].section.scrollIntoView({ block: "start", behavior: "smooth" });
  announce(t("The answer is there. Check the fields, then test and save."));

  function onchoose(path) {
    fields.take(path);
  }
  function onfield(key, isAsked) {
    tree.choosing(key);
    if (!isAsked) return;
    steps[1].section.scrollIntoView({ block: "nearest", behavior: "smooth" });
    tree.focus(key);
  }
  function onchange() {
    tree.mark();
    saving.changed();
  }
  async function onlist(path) {
    const other = await examineList(diagnosis, path);
    if (other) show(asked, other);
  }
}
