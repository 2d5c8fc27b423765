import type { SandboxConfig } from "../../config/config.ts";
import { findSandboxProblem } from "./sandbox.ts";
import { createSeccompFilter } from "./seccomp-filter.ts";

/** A documented promise that commands do not get on a machine or with a configuration. */
export interface WeakenedPromise {
  /** The promise. */
  promise: string;
  /** What applies instead. */
  instead: string;
}

/** All promises that only the sandbox ensures. The documentation of tools lists the same. */
export const sandboxPromises: readonly WeakenedPromise[] = [
  {
    promise: "Commands write only in the workspace, /tmp and their own home folder.",
    instead: "They write wherever you can.",
  },
  {
    promise: "Commands cannot read your home folder, credentials, or other folders of the machine.",
    instead: "They read whatever you can read, including Cadre's own files.",
  },
  {
    promise: "Control files cannot be changed by commands.",
    instead:
      "Changes to control files in the workspace are detected and undone after the command has ended.",
  },
  {
    promise: "Deny rules for Read, Edit and Write bind commands, too.",
    instead: "They bind tools only; deny the commands, or ask about them.",
  },
  {
    promise: "Commands reach no network, or only the domains that are allowed.",
    instead: "They reach every network that you can.",
  },
  {
    promise: "Commands reach no unix socket, such as that of a container service.",
    instead: "They reach every socket that you can.",
  },
  {
    promise: "Commands see and signal no processes but their own.",
    instead: "They see all processes, and can signal yours.",
  },
];

/** Returns the promises that do not hold for commands here, with the reason; none where the sandbox is complete. */
export async function findWeakenedPromises({
  mode,
  unixSockets,
}: Pick<SandboxConfig, "mode" | "unixSockets">): Promise<{
  reason: string | null;
  promises: readonly WeakenedPromise[];
}> {
  // Without the required sandbox, no command runs.
  if (mode === "required") return { reason: null, promises: [] };
  const problem = mode === "off" ? "sandbox.mode is off" : await findSandboxProblem();
  if (problem !== null) return { reason: problem, promises: sandboxPromises };
  if (createSeccompFilter() !== null && !unixSockets) return { reason: null, promises: [] };
  const reason = unixSockets
    ? "sandbox.unixSockets is true"
    : `there is no system call filter for ${process.arch}`;
  const instead = "They reach the sockets in folders that they see, such as the workspace.";
  const socket = sandboxPromises.find(({ promise }) => promise.includes("unix socket"));
  return { reason, promises: socket === undefined ? [] : [{ ...socket, instead }] };
}
