// How ./test reads the run: a line for each test, what failed in full at the end, then the count.

const counts = { passed: 0, failed: 0, skipped: 0 };
const FAILURE_CHARS_MAX = 4_000;

/** ./test adds up every "N passed" and "N failed" that it sees; a quoted one must not count. */
const quoted = (text) => text.replace(/(\d+) (passed|failed)/g, "$1\u00a0$2");

export default async function* report(events) {
  const failures = [];
  for await (const { type, data } of events) {
    if (type === "test:stdout" && data.message.startsWith("measured: ")) yield data.message;
    else if (type === "test:stdout" || type === "test:stderr") yield quoted(data.message);
    if ((type !== "test:pass" && type !== "test:fail") || isWrapper(data)) continue;
    const name = quoted(data.name);
    const time = `${((data.details?.duration_ms ?? 0) / 1000).toFixed(1)} s`;
    if (data.skip !== undefined) {
      counts.skipped++;
      yield `skip  ${name}\n`;
    } else if (type === "test:pass") {
      counts.passed++;
      yield `ok    ${name} (${time})\n`;
    } else {
      counts.failed++;
      const why = quoted(reason(data.details?.error));
      failures.push([name, why]);
      yield `FAIL  ${name} (${time}): ${why.split("\n", 1)[0]}\n`;
    }
  }
  // One reason may fail many tests; it is said once.
  for (const why of new Set(failures.map(([, why]) => why))) {
    const names = failures.filter(([, one]) => one === why).map(([name]) => name);
    yield `\n--- ${names.join("\n--- ")}\n${why}\n`;
  }
  yield `${counts.passed} passed, ${counts.failed} failed\n`;
}

/** A file that holds tests is reported as one itself. It counts only when it broke outside of its tests. */
function isWrapper(data) {
  const isFile = data.nesting === 0 && data.file && data.name.endsWith(".test.mjs");
  return isFile && (data.details?.error?.failureType ?? "subtestsFailed") === "subtestsFailed";
}

function reason(error) {
  const cause = error?.cause ?? error;
  return String(cause?.stack ?? cause?.message ?? cause).slice(0, FAILURE_CHARS_MAX);
}
