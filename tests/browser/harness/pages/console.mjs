// The pages of the console, and when one of them is loaded.

import { waitUntilIdle } from "../watch.mjs";

/** The pages of the console by section, in the order of its navigation. */
export const SECTIONS = [
  [""],
  ["searchproviders/", "doctor/", "gallery/", "breakers/"],
  ["querytransforms/", "pipelines/"],
  ["aiproviders/", "prompts/"],
  ["cache/"],
  ["users/", "groups/", "tokens/", "authenticators/"],
  ["activity/", "timings/", "audit/"],
  ["settings/", "schedules/", "logs/", "branding/", "license/"],
].map((slugs) => slugs.map((slug) => `/admin/${slug}`));

export const CONSOLE = SECTIONS.flat();

/** Opens a page and waits until its module has filled it. */
export async function visit(page, path) {
  await page.goto(path);
  await waitUntilFilled(page);
  await waitUntilIdle(page);
}

/** Waits until the module of the page has added content. */
export const waitUntilFilled = (page) => page.waitForFunction(() => document.querySelector("#work")?.innerText.trim());

export { waitUntilIdle };
