// Starts the program's demo in a temporary folder.

import { spawn } from "node:child_process";
import { mkdtempSync, openSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const START_MS_MAX = 60_000;
const STOP_MS_MAX = 10_000;
const PASSWORD = "river stone and reed";

/** Starts it on a free port and waits until it is ready. Returns `{base, password, scratch, stop}`. */
export async function startDemo(program, settings = {}) {
  const scratch = mkdtempSync(join(tmpdir(), "tributary-browser-"));
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const log = openSync(join(scratch, "demo.log"), "w");
  const demo = spawn(resolve(program), ["demo"], {
    cwd: scratch,
    stdio: ["ignore", log, log],
    env: {
      ...cleanEnvironment(),
      SVC_PORT: String(port),
      SVC_ADMIN_PASSWORD: PASSWORD,
      // A held source may wait long on a busy machine. A source that never responds has its own timeout.
      SVC_TIMEOUT: "60",
      SVC_OUTBOUND_ALLOW: "127.0.0.1",
      DOCS_CHAT_THROTTLE_RATE: "None",
      ...settings,
    },
  });
  const stop = async () => {
    demo.kill("SIGTERM");
    const killTimer = setTimeout(() => demo.kill("SIGKILL"), STOP_MS_MAX);
    if (demo.exitCode === null && demo.signalCode === null) await new Promise((done) => demo.once("exit", done));
    clearTimeout(killTimer);
    rmSync(scratch, { recursive: true, force: true });
  };
  for (const end = Date.now() + START_MS_MAX; Date.now() < end && demo.exitCode === null; ) {
    const answer = await fetch(`${base}/svc/health/ready/`).catch(() => null);
    if (answer?.ok) return { base, password: PASSWORD, scratch, stop };
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`the demo did not start; see ${scratch}/demo.log`);
}

/** The environment without settings of the service, except for the folder of the pages. */
function cleanEnvironment() {
  const isForeign = (name) => /^SVC_|^DOCS_CHAT_/.test(name) && name !== "SVC_WEB_DIR";
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isForeign(name)));
}

function freePort() {
  return new Promise((found) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (probe.address());
      probe.close(() => found(port));
    });
  });
}
