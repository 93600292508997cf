// Starts the program in a temporary folder: its demo, or a new installation.

import { spawn } from "node:child_process";
import { mkdtempSync, openSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const START_MS_MAX = 60_000;
const STOP_MS_MAX = 10_000;
const PASSWORD = "river stone and reed";

/** Starts the demo. */
export const startDemo = (program, settings = {}) => startProgram(program, "demo", settings);

/** Starts a new installation: a service without records, apart from those that it creates itself. */
export const startInstallation = (program, settings = {}) => startProgram(program, "serve", settings);

/** Starts a command on a free port and waits until it is ready. Returns `{base, password, scratch, stop}`. */
async function startProgram(program, command, settings) {
  const scratch = mkdtempSync(join(tmpdir(), "tributary-browser-"));
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const log = openSync(join(scratch, `${command}.log`), "w");
  const service = spawn(resolve(program), [command], {
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
    service.kill("SIGTERM");
    const killTimer = setTimeout(() => service.kill("SIGKILL"), STOP_MS_MAX);
    if (service.exitCode === null && service.signalCode === null) await new Promise((done) => service.once("exit", done));
    clearTimeout(killTimer);
    rmSync(scratch, { recursive: true, force: true });
  };
  for (const end = Date.now() + START_MS_MAX; Date.now() < end && service.exitCode === null; ) {
    const answer = await fetch(`${base}/svc/health/ready/`).catch(() => null);
    if (answer?.ok) return { base, password: PASSWORD, scratch, stop };
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`the service did not start; see ${scratch}/${command}.log`);
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
