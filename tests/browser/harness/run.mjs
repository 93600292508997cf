// Starts the sources, the program's demo in a temporary folder and one Chromium, runs the test files, stops everything.
//
//   node harness/run.mjs PROGRAM [FILE…]      with --stay: starts everything and waits

import { spawn } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { startDemo } from "./demo.mjs";
import { chromium } from "./playwright.mjs";
import { startSources } from "./sources.mjs";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const [program, ...args] = process.argv.slice(2);
const isInteractive = args.includes("--stay");
const files = args.filter((one) => !one.startsWith("--"));
/** May exceed the number of cores, because a test waits most of the time. */
const FILES_AT_ONCE = process.env.SVC_TEST_AT_ONCE ?? "4";
/** The slowest files start first, so that the last ones end at about the same time. */
const SLOWEST = ["every_console_page.test.mjs", "layout_shift.test.mjs", "every_page.test.mjs", "list.test.mjs", "hostile.test.mjs", "answer.test.mjs"];
/** Files that measure times or change the service for all users. They run after the others, one at a time. */
const ALONE = ["branding_and_pipelines.test.mjs", "written_answer.test.mjs", "many_providers.test.mjs", "first_paint.test.mjs"];

let outcome;
const cleanups = [];
/** Stops everything that was started, also if the run is interrupted. */
async function cleanUp() {
  for (const one of cleanups.splice(0).reverse()) await Promise.resolve(one()).catch(() => {});
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => cleanUp().then(() => process.exit(1)));
try {
  const sources = await startSources();
  cleanups.push(sources.stop);
  const demo = await startDemo(program);
  cleanups.push(demo.stop);
  const browser = await chromium.launchServer({ executablePath: process.env.SVC_TEST_CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  cleanups.push(() => browser.close());
  const appFile = join(demo.scratch, "app.json");
  writeFileSync(appFile, JSON.stringify({
    base: demo.base, password: demo.password, sources: sources.base, browser: browser.wsEndpoint(), program: resolve(program),
  }));
  outcome = isInteractive ? await waitForever(appFile, demo) : await runTests(appFile);
} finally {
  await cleanUp();
}
process.exit(outcome);

async function waitForever(appFile, demo) {
  console.log(`SVC_TEST_APP=${appFile}\n${demo.base} admin ${demo.password}`);
  await new Promise(() => setInterval(() => {}, 60_000));
  return 0;
}

async function runTests(appFile) {
  const all = readdirSync(here).filter((name) => name.endsWith(".test.mjs")).sort();
  const chosen = files.length ? files.map((one) => one.split("/").pop()) : all;
  const isSlow = (name) => SLOWEST.includes(name);
  const ordered = [...SLOWEST.filter((name) => chosen.includes(name)), ...chosen.filter((name) => !isSlow(name))];
  const together = await run(appFile, ordered.filter((name) => !ALONE.includes(name)), FILES_AT_ONCE);
  const alone = await run(appFile, chosen.filter((name) => ALONE.includes(name)), "1");
  return together || alone;
}

function run(appFile, names, atOnce) {
  if (!names.length) return 0;
  const options = ["--test", `--test-concurrency=${atOnce}`, `--test-reporter=${join(here, "harness/report.mjs")}`, "--test-reporter-destination=stdout"];
  const tests = spawn(process.execPath, [...options, ...names.map((name) => join(here, name))], {
    stdio: "inherit",
    env: { ...process.env, SVC_TEST_APP: appFile },
  });
  return new Promise((done) => tests.once("exit", (code) => done(code ?? 1)));
}
