// Accessibility checks with axe-core. Its source is an init script of the context: the browser runs it before the scripts
// of a page and outside of the page's policy, so the policy stays in force.

import assert from "node:assert/strict";
import { axeSource } from "./playwright.mjs";

let source;

/** The init script for `openPage({init})`. */
export const axe = () => (source ??= axeSource());

const RULES = { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] };
const COLOR_RULES = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } };

/** Checks the colors of the page, for a theme in which the other rules were checked already. */
export const assertReadable = (page, what) => assertAccessible(page, what, COLOR_RULES);

/** Checks the rules of WCAG 2.2 AA and best practices. */
export async function assertAccessible(page, what, rules = /** @type {object} */ (RULES)) {
  const violations = await page.evaluate(async (rules) => {
    // Reporting only violations is faster.
    const { violations } = await window.axe.run(document, { ...rules, resultTypes: ["violations"] });
    return violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.slice(0, 5).map((node) => `${node.target.join(" ")}: ${node.failureSummary.split("\n").slice(1, 3).join(" ").trim()}`),
    }));
  }, rules);
  const details = violations.map((one) => `${one.id}: ${one.help}\n    ${one.nodes.join("\n    ")}`).join("\n  ");
  assert.equal(violations.length, 0, `${what}:\n  ${details}`);
}
