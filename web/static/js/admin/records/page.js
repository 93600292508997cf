// Page of a resource: the list, or the form of one record. The script of a page passes its options.

import { toast } from "../../dom.js";
import { work } from "../components.js";
import { record } from "./resource.js";
import { showForm } from "./form.js";
import { showList } from "./list.js";

const NOTE = "tributary:note";

/** Draws the page. The options `list` and `form` are described in list.js and form.js. */
export function start({ list = {}, form = {} } = {}) {
  const note = sessionStorage.getItem(NOTE);
  sessionStorage.removeItem(NOTE);
  if (note) toast(note);
  if (record) showForm(work(), record, form);
  else showList(work(), list);
}

/** Goes to another page, which shows this sentence. */
export function goTo(path, sentence) {
  sessionStorage.setItem(NOTE, sentence);
  location.assign(path);
}
