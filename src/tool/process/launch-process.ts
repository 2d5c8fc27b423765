// Processes: starts programs, and ends every process that they start.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { ownerMark, ownerName } from "./owner-mark.ts";
import { findSupervisor } from "./find-supervisor.ts";
import { launchSupervised } from "./launch-supervised.ts";
import type {
  LaunchedProcess,
  LaunchRequest,
  PipedProcess,
  ProcessEnd,
} from "./launched-process.ts";
import { killFamily, type ProcessFamily, terminateFamily } from "./process-family.ts";

const running = new Set<LaunchedProcess>();
let endsWithUs = false;

/**
 * Starts a program. When it ends, all processes it started are killed; when this process dies, even by SIGKILL, they die too. On
 * Linux this includes daemons; `docs/tools.md` lists the limits of other systems.
 *
 * @throws the system error when it cannot be started.
 */
export async function launchProcess(request: LaunchRequest): Promise<LaunchedProcess> {
  const [name = "", value = ""] = request.marker.split(/=(.*)/s, 2);
  const marks = { [ownerName]: ownerMark(), ...(!request.isSandboxed && { [name]: value }) };
  const marked = { ...request, environment: { ...request.environment, ...marks } };
  // A sandbox dies with this process by itself.
  const supervisor = request.isSandboxed ? null : findSupervisor();
  const launched = await (supervisor === null
    ? launchDirectly(marked)
    : launchSupervised(supervisor, marked, marks));
  remember(launched);
  return launched;
}

/** Kills every running program: on a second Ctrl-C and when the process ends. */
export function killAllProcesses(): void {
  for (const launched of running) launched.kill();
}

function remember(launched: LaunchedProcess): void {
  running.add(launched);
  void launched.ended.then(() => running.delete(launched));
  if (endsWithUs) return;
  endsWithUs = true;
  process.once("exit", killAllProcesses);
}

async function launchDirectly(request: LaunchRequest): Promise<LaunchedProcess> {
  const [program = "", ...rest] = request.command;
  const child = spawn(program, rest, {
    cwd: request.cwd,
    env: request.environment,
    stdio: [
      request.hasInput ? "pipe" : "ignore",
      "pipe",
      "pipe",
      ...(request.network === undefined ? [] : ["ipc" as const]),
    ],
    detached: true,
  }) as PipedProcess;
  request.network?.attach(child);
  if (child.pid === undefined) throw (await once(child, "error"))[0];
  // A failed signal; `ended` reports the end of the process.
  child.on("error", () => undefined);
  const family: ProcessFamily = { ...request, pid: child.pid };
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once("exit", (exitCode, signal) => {
      killFamily(family);
      resolve({ exitCode, signal });
    });
  });
  const { pid, stdin, stdout, stderr } = child;
  return {
    pid,
    stdin,
    stdout,
    stderr,
    ended,
    terminate: () => terminateFamily(family),
    kill: () => killFamily(family),
  };
}
