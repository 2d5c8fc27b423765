import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CadreError } from "../../errors.ts";
import type { PermissionPolicy } from "../../run/permission.ts";
import { commandEnvironment } from "../process/command-environment.ts";
import { commandFolder } from "../control-file/command-folder.ts";
import type { FilteredNetwork } from "../network-proxy/filtered-network.ts";
import { isInside } from "../../source/file/real-path.ts";
import { findAround } from "./find-around.ts";
import { findDeniedFiles } from "./find-denied-files.ts";
import { readGitIdentity } from "./git-identity.ts";
import type { SandboxFolders } from "./plan-mounts.ts";
import { withoutNetwork, detectSandbox, type Sandbox } from "./sandbox.ts";
import type { SandboxOptions } from "./sandbox-options.ts";

/** The user whose commands run, and the options of their sandbox. */
export interface CommandUser {
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  sandbox?: SandboxOptions;
}

/** The data that all commands of a process share. */
export interface Machine {
  /** `null` when there is no sandbox. */
  sandbox: Sandbox | null;
  /** See {@link commandFolder}. */
  folder: string;
  /** See {@link readGitIdentity}. */
  gitConfig: string;
}

/** The sandbox of one command. */
export interface EnteredSandbox {
  /** Returns the command that runs `command` in the sandbox. */
  wrap(command: readonly string[]): string[];
  /** Set when only some hosts may be reached. */
  network: FilteredNetwork | undefined;
  /** Whether the command can change only its own folders. */
  isReadOnly: boolean;
}

/**
 * Detects the sandbox of this machine.
 *
 * @throws CadreError `not-trusted` when a required sandbox is missing.
 */
export async function prepareMachine(user: CommandUser): Promise<Machine> {
  const { sandbox = {}, environment } = user;
  const folder = commandFolder(user);
  const [found, gitConfig] = await Promise.all([
    detectSandbox(sandbox, { folder }),
    readGitIdentity(environment),
  ]);
  return { sandbox: found, folder, gitConfig };
}

/** A command about to enter the sandbox. */
export interface SandboxEntry {
  user: CommandUser;
  context: { workspace: string; outputFolder: string; policies: readonly PermissionPolicy[] };
  known: Pick<SandboxFolders, "temporary" | "hiddenFolders" | "readOnly">;
}

/**
 * Prepares the sandbox of a command; returns `null` where there is none.
 *
 * @throws CadreError `tool-failed` when deny rules match more files than can be hidden, or when the run may only read and no
 * sandbox can enforce that.
 */
export async function enterSandbox(
  machine: Machine,
  entry: SandboxEntry,
): Promise<EnteredSandbox | null> {
  const { sandbox, gitConfig } = machine;
  const { workspace, outputFolder, policies } = entry.context;
  const isReadOnly = policies.some(({ mode }) => mode === "read-only");
  if (sandbox === null) {
    if (isReadOnly) throw new CadreError("tool-failed", noReadOnlySandbox);
    return null;
  }
  const { home, environment, sandbox: given = {} } = entry.user;
  const options = isReadOnly ? withoutNetwork(given) : given;
  const around = findAround(workspace, home);
  const root = around.find((folder) => isInside(workspace, folder)) ?? workspace;
  const [caches, config] = [join(outputFolder, "cache"), join(outputFolder, "gitconfig")];
  await mkdir(caches, { recursive: true, mode: 0o700 });
  await writeFile(config, gitConfig, { mode: 0o600 });
  const network =
    typeof options.network === "object" ? await filterNetwork(options.network.allow) : undefined;
  const inside: SandboxFolders = {
    ...entry.known,
    workspace,
    isReadOnly,
    around,
    caches,
    outputs: dirname(outputFolder),
    home,
    readable: network?.readablePaths ?? [],
    path: commandEnvironment(environment, { passed: [], temporary: "/tmp" })["PATH"] ?? "",
    denied: await findDeniedFiles({ policies, workspace, root }),
    gitConfig: config,
  };
  return {
    wrap: (command) => sandbox(network?.wrapCommand(command) ?? command, inside),
    network,
    isReadOnly,
  };
}

/** Loads the proxy on use, because Node's HTTP module takes a twentieth of a run's start time. */
async function filterNetwork(allow: readonly string[]): Promise<FilteredNetwork> {
  const { prepareFilteredNetwork } = await import("../network-proxy/filtered-network.ts");
  return prepareFilteredNetwork(allow);
}

const noReadOnlySandbox =
  "The command was not started: this run may only read (mode read-only), and only a sandbox can enforce that for commands. This machine has none. Use Read, Grep and Glob; for commands, install bubblewrap and leave the setting sandbox on.";
