// Examines another list of the response as the result list.

import { post } from "../../api.js";
import { toast } from "../../dom.js";
import { sentence } from "../parts.js";
import { find, write } from "./path.js";

/** The diagnosis for the list at these steps, or nothing when its items are no results. */
export async function examineList(diagnosis, steps) {
  try {
    const sample = find(diagnosis.answer, steps)[0];
    const other = await post("/searchproviders/doctor/", { sample });
    const counts = diagnosis.proposals.filter((one) => one.field === "FOUND" || one.field === "RETRIEVED");
    const inside = other.results_path === "$" ? "" : other.results_path;
    const path = write(steps) + (inside && !inside.startsWith("[") ? "." : "") + inside;
    return {
      ...other,
      answer: diagnosis.answer,
      results_path: path,
      proposals: [...other.proposals.filter((one) => one.field !== "RESULTS"), ...counts],
      provider: { ...diagnosis.provider },
      warnings: other.warnings.filter((warning) => !warning.startsWith("Without a request")),
    };
  } catch (error) {
    toast(sentence(error), { bad: true });
    return null;
  }
}
