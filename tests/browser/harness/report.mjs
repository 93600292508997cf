// Test reporter: a line for each test, which ./test counts, and the full errors at the end.

import { basename } from "node:path";

const counts = { passed: 0, failed: 0, skipped: 0 };
const FAILURE_CHARS_MAX = 4_000;

export default async function* report(events) {
  const failures = [];
  const files = new Set();
  for await (const { type, data } of events) {
    if (type === "test:stdout" || type === "test:stderr") yield data.message;
    if ((type !== "test:pass" && type !== "test:fail") || isWrapper(data)) continue;
    const name = data.name;
    const time = `${((data.details?.duration_ms ?? 0) / 1000).toFixed(1)} s`;
    if (data.skip !== undefined) {
      counts.skipped++;
      yield `skipped: ${name}, because ${typeof data.skip === "string" ? data.skip : "it is marked as skipped"}\n`;
    } else if (type === "test:pass") {
      counts.passed++;
      yield `ok    ${name} (${time})\n`;
    } else {
      counts.failed++;
      const why = reason(data.details?.error);
      failures.push([name, why]);
      files.add(fileOf(name));
      yield `FAIL  ${name} (${time}): ${summarize(why)}\n`;
    }
  }
  // Tests that failed for the same reason are reported together.
  for (const why of new Set(failures.map(([, why]) => why))) {
    const names = failures.filter(([, one]) => one === why).map(([name]) => name);
    yield `\n--- ${names.join("\n--- ")}\n${why}\n`;
  }
  for (const file of files) yield `failed in: ${file}\n`;
  yield `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`;
}

/** The name of a test begins with its file. Where it was defined does not help: that is in the harness. */
function fileOf(name) {
  return name.endsWith(".test.mjs") ? basename(name) : `${name.split(": ")[0]}.test.mjs`;
}

/** A test file is reported as a test as well. It counts only if it failed outside of its tests. */
function isWrapper(data) {
  const isFile = data.nesting === 0 && data.file && data.name.endsWith(".test.mjs");
  return isFile && (data.details?.error?.failureType ?? "subtestsFailed") === "subtestsFailed";
}

/** One line with the error, the text that did not match, what the test waited for, the URL, and the messages of the page. */
function summarize(why) {
  const [first, ...rest] = why.split("\n");
  const relevant = rest.filter((line) => /^'|^\s+(- waiting for |on http|with message: )|\.test\.mjs:/.test(line));
  return [first, ...relevant.map((line) => line.trim())].join("; ");
}

function reason(error) {
  const cause = error?.cause ?? error;
  return String(cause?.stack ?? cause?.message ?? cause).slice(0, FAILURE_CHARS_MAX);
}
