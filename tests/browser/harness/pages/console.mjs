// The pages of the console, and when one of them is loaded.

import { waitUntilIdle } from "../watch.mjs";

/** All pages of the console, in the order of its navigation. */
export const CONSOLE = [
  "", "searchproviders/", "doctor/", "gallery/", "querytransforms/", "pipelines/", "breakers/", "cache/", "aiproviders/", "prompts/",
  "users/", "groups/", "tokens/", "authenticators/", "activity/", "timings/", "schedules/", "logs/", "audit/", "settings/", "branding/", "license/",
].map((slug) => `/admin/${slug}`);

/** Opens a page and waits until its module has filled it. */
export async function visit(page, path) {
  await page.goto(path);
  await waitUntilFilled(page);
  await waitUntilIdle(page);
}

/** Waits until the module of the page has added content. */
export const waitUntilFilled = (page) => page.waitForFunction(() => document.querySelector("#work")?.innerText.trim());

export { waitUntilIdle };
