// Page of a resource: the list, or the form of one record. The script of the page passes what is specific.

import { toast } from "../../dom.js";
import { work } from "../parts.js";
import { record } from "./resource.js";
import { showForm } from "./form.js";
import { showList } from "./list.js";

const NOTE = "tributary:note";

/** Draws the page. `list` and `form` say what is special, see list.js and form.js. */
export function start({ list = {}, form = {} } = {}) {
  const note = sessionStorage.getItem(NOTE);
  sessionStorage.removeItem(NOTE);
  if (note) toast(note);
  if (record) showForm(work(), record, form);
  else showList(work(), list);
}

/** Goes to another page, which says this sentence. */
export function leave(path, sentence) {
  sessionStorage.setItem(NOTE, sentence);
  location.assign(path);
}
