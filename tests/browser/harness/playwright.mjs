// Playwright and axe-core from the cache folder of scripts/browser.sh.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(`${process.env.SVC_TEST_BROWSER}/`));

export const { chromium } = require("playwright-core");

export const axeSource = () => readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
