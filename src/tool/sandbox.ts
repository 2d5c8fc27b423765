import { execFile } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { CadreError } from "../errors.ts";
import { isInside } from "./path-confinement.ts";
import { protectedPaths } from "./protected-path.ts";
import { secretPaths } from "./secret-path.ts";

/**
 * Whether commands run in a sandbox: `auto` where the machine has one, `required` = otherwise not at all, `off`.
 */
export type SandboxMode = "auto" | "required" | "off";

/** How the sandbox is set up. */
export interface SandboxOptions {
  /** Default `auto`. */
  mode?: SandboxMode;
  /** Whether commands reach the network. Default false. */
  network?: boolean;
  /** Absolute paths that commands may write besides the workspace and their `/tmp`. */
  writablePaths?: readonly string[];
}

/** Where one command runs. */
export interface SandboxPlace {
  workspace: string;
  /** The folder that is `/tmp` inside. */
  temporary: string;
  home: string;
}

/** Puts commands into the sandbox; `null` stands for none. */
export type Sandbox = (command: readonly string[], place: SandboxPlace) => string[];

const remedy =
  "Install the Debian package bubblewrap (apt install bubblewrap), allow user namespaces, or set sandbox mode to off";

/**
 * Finds out whether this machine can sandbox, by trying.
 *
 * @throws CadreError `not-trusted` when the mode is `required` and it cannot.
 */
export async function detectSandbox(
  options: SandboxOptions,
  bubblewrap = "bwrap",
): Promise<Sandbox | null> {
  const mode = options.mode ?? "auto";
  if (mode === "off") return null;
  const wrap: Sandbox = (command, place) => [
    bubblewrap,
    ...sandboxArguments(options, place),
    "--",
    ...command,
  ];
  const problem = await tryOut(wrap);
  if (problem === null) return wrap;
  if (mode === "auto") return null;
  throw new CadreError(
    "not-trusted",
    `Commands must run in a sandbox, but this machine has none (${problem}). ${remedy}.`,
  );
}

async function tryOut(wrap: Sandbox): Promise<string | null> {
  if (process.platform !== "linux") return `bubblewrap needs Linux, this is ${process.platform}`;
  const place = { workspace: "/tmp", temporary: "/tmp", home: "/nonexistent" };
  const [program = "", ...rest] = wrap(["true"], place);
  try {
    await promisify(execFile)(program, rest, { timeout: 5000 });
    return null;
  } catch (error) {
    return error instanceof Error
      ? (error.message.split("\n").at(-1) ?? error.message)
      : String(error);
  }
}

const protectedFolders = [
  ...new Set(protectedPaths.filter((path) => path.includes("/")).map((path) => dirname(path))),
];

/**
 * Everything is readable but secrets; only the workspace and `/tmp` are writable. The process namespace is what
 * makes sure that nothing outlives the command.
 */
function sandboxArguments(options: SandboxOptions, place: SandboxPlace): string[] {
  const { workspace, temporary } = place;
  const network = options.network === true ? "" : " --unshare-net";
  const resolver = "/run/systemd/resolve";
  return [
    ...`--unshare-user-try --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try${network}`.split(
      " ",
    ),
    ..."--die-with-parent --new-session --cap-drop ALL".split(" "),
    ..."--ro-bind / / --dev /dev --proc /proc".split(" "),
    // Sockets of services (containers, the session bus) would be a way out.
    ...`--tmpfs /run --ro-bind-try ${resolver} ${resolver}`.split(" "),
    "--bind",
    temporary,
    "/tmp",
    ...bind("--bind-try", [workspace, ...(options.writablePaths ?? [])]),
    ...hidden(place),
    // A folder that is a mount itself cannot be renamed, with what is protected in it.
    ...bind(
      "--bind-try",
      protectedFolders.map((folder) => join(workspace, folder)),
    ),
    ...bind("--ro-bind-try", protectedIn(workspace)),
    "--chdir",
    workspace,
  ];
}

/** In a git worktree `.git` is a file, which says where the hooks are. */
function protectedIn(workspace: string): string[] {
  const git = statSync(join(workspace, ".git"), { throwIfNoEntry: false });
  const paths = git?.isFile() === true ? [".git", ...protectedPaths] : protectedPaths;
  return paths.map((path) => join(workspace, path)).filter((path) => existsSync(path));
}

function bind(option: string, paths: readonly string[]): string[] {
  return paths.flatMap((path) => [option, path, path]);
}

function hidden(place: SandboxPlace): string[] {
  const secrets = secretPaths(place.home).filter((path) => existsSync(path));
  const masks = secrets.flatMap((path) =>
    statSync(path).isDirectory() ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path],
  );
  const skills = join(place.home, ".cadre/skills");
  const covered = secrets.some((path) => isInside(place.workspace, path));
  return [
    ...masks,
    ...bind("--ro-bind-try", [skills]),
    // A workspace may lie inside a hidden folder, such as a worktree below ~/.cadre.
    ...bind("--bind", covered ? [place.workspace] : []),
  ];
}
