// Accessibility by axe-core. Its source is an init script of the context: the browser runs that before a page's own
// scripts and outside of the page's policy, so nothing of the policy is switched off for the check.

import assert from "node:assert/strict";
import { axeSource } from "./playwright.mjs";

let source;

/** For `open({init})`. */
export const axe = () => (source ??= axeSource());

const RULES = { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] };
const COLOURS = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } };

/** The page as it is now can be read in these colours. The other rules do not look at colours. */
export const assertReadable = (page, what) => assertAccessible(page, what, COLOURS);

/** No rule of WCAG 2.2 AA and of good practice is broken on the page as it is now. */
export async function assertAccessible(page, what, chosen = /** @type {object} */ (RULES)) {
  const broken = await page.evaluate(async (rules) => {
    // What passes is not wanted in full.
    const { violations } = await window.axe.run(document, { ...rules, resultTypes: ["violations"] });
    return violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.slice(0, 5).map((node) => `${node.target.join(" ")}: ${node.failureSummary.split("\n").slice(1, 3).join(" ").trim()}`),
    }));
  }, chosen);
  const said = broken.map((one) => `${one.id}: ${one.help}\n    ${one.nodes.join("\n    ")}`).join("\n  ");
  assert.equal(broken.length, 0, `${what}:\n  ${said}`);
}
