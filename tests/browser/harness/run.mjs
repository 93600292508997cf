// Starts the sources, the program's demo in a scratch folder and one Chromium, runs the test files, stops everything.
//
//   node harness/run.mjs PROGRAM [FILE…]      with --stay: starts only, and waits

import { spawn } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { startDemo } from "./demo.mjs";
import { chromium } from "./playwright.mjs";
import { startSources } from "./sources.mjs";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const [program, ...given] = process.argv.slice(2);
const stays = given.includes("--stay");
const files = given.filter((one) => !one.startsWith("--"));
/** More than there are cores: a test waits most of its time, for a page, a source or a moment of rest. */
const FILES_AT_ONCE = process.env.SVC_TEST_AT_ONCE ?? "4";
/** The longest ones begin first, so that the last ones end together. */
const LONGEST = ["every_console_page.test.mjs", "every_page.test.mjs", "list.test.mjs", "hostile.test.mjs", "answer.test.mjs"];
/** Files that measure times or change something for everybody; they run by themselves, after the others. */
const ALONE = ["whole_app.test.mjs", "written_answer.test.mjs", "many_providers.test.mjs", "paint.test.mjs"];

let outcome;
const closing = [];
/** Stops everything that was started, also when the run itself is stopped. */
async function close() {
  for (const one of closing.splice(0).reverse()) await Promise.resolve(one()).catch(() => {});
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => close().then(() => process.exit(1)));
try {
  const sources = await startSources();
  closing.push(sources.stop);
  const demo = await startDemo(program);
  closing.push(demo.stop);
  const browser = await chromium.launchServer({ executablePath: process.env.SVC_TEST_CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  closing.push(() => browser.close());
  const place = join(demo.scratch, "app.json");
  writeFileSync(place, JSON.stringify({
    base: demo.base, password: demo.password, sources: sources.base, browser: browser.wsEndpoint(), program: resolve(program),
  }));
  outcome = stays ? await stay(place, demo) : await runTests(place);
} finally {
  await close();
}
process.exit(outcome);

async function stay(place, demo) {
  console.log(`SVC_TEST_APP=${place}\n${demo.base} admin ${demo.password}`);
  await new Promise(() => setInterval(() => {}, 60_000));
  return 0;
}

async function runTests(place) {
  const all = readdirSync(here).filter((name) => name.endsWith(".test.mjs")).sort();
  const chosen = files.length ? files.map((one) => one.split("/").pop()) : all;
  const isLong = (name) => LONGEST.includes(name);
  const ordered = [...LONGEST.filter((name) => chosen.includes(name)), ...chosen.filter((name) => !isLong(name))];
  const together = await run(place, ordered.filter((name) => !ALONE.includes(name)), FILES_AT_ONCE);
  const alone = await run(place, chosen.filter((name) => ALONE.includes(name)), "1");
  return together || alone;
}

function run(place, names, atOnce) {
  if (!names.length) return 0;
  const options = ["--test", `--test-concurrency=${atOnce}`, `--test-reporter=${join(here, "harness/report.mjs")}`, "--test-reporter-destination=stdout"];
  const tests = spawn(process.execPath, [...options, ...names.map((name) => join(here, name))], {
    stdio: "inherit",
    env: { ...process.env, SVC_TEST_APP: place },
  });
  return new Promise((done) => tests.once("exit", (code) => done(code ?? 1)));
}
