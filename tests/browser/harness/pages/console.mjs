// The console: its pages, and when one of them is there.

import { quiet } from "../watch.mjs";

/** Every page of the console, as the list on its left names them. */
export const CONSOLE = [
  "", "searchproviders/", "doctor/", "gallery/", "querytransforms/", "pipelines/", "breakers/", "cache/", "aiproviders/", "prompts/",
  "users/", "groups/", "tokens/", "authenticators/", "activity/", "schedules/", "logs/", "audit/", "settings/", "branding/", "license/",
].map((slug) => `/admin/${slug}`);

/** Goes to a page and waits until its module has filled it. */
export async function visit(page, path) {
  await page.goto(path);
  await filled(page);
  await quiet(page);
}

/** The module has put something there. */
export const filled = (page) => page.waitForFunction(() => document.querySelector("#work")?.innerText.trim());

export { quiet as settled };
