// Examines another list of the response as the result list.

import { post } from "../../api.js";
import { toast } from "../../dom.js";
import { errorMessage } from "../components.js";
import { findValues, formatPath } from "./path.js";

/** The diagnosis with the list at this path as the result list, or null if its items cannot be results. */
export async function examineList(diagnosis, steps) {
  try {
    const sample = findValues(diagnosis.answer, steps)[0];
    const other = await post("/searchproviders/doctor/", { sample });
    const counts = diagnosis.proposals.filter((one) => one.field === "FOUND" || one.field === "RETRIEVED");
    const inside = other.results_path === "$" ? "" : other.results_path;
    const path = formatPath(steps) + (inside && !inside.startsWith("[") ? "." : "") + inside;
    return {
      ...other,
      answer: diagnosis.answer,
      results_path: path,
      proposals: [...other.proposals.filter((one) => one.field !== "RESULTS"), ...counts],
      provider: { ...diagnosis.provider },
      warnings: other.warnings.filter((warning) => !warning.startsWith("Without a request")),
    };
  } catch (error) {
    toast(errorMessage(error), { bad: true });
    return null;
  }
}
