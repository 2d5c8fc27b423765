import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** The environment in which the Node of these tests comes first, because npm starts scripts with the first one on the PATH. */
const environment = {
  ...process.env,
  PATH: `${join(process.execPath, "..")}:${process.env["PATH"] ?? ""}`,
};

const root = join(import.meta.dirname, "../..");

/** Runs a command to its end and returns its stdout. Throws with all output when it fails. */
export async function execute(
  folder: string,
  command: string,
  ...words: string[]
): Promise<string> {
  const options = { cwd: folder, env: environment, timeout: 540_000, maxBuffer: 64 * 1024 ** 2 };
  try {
    return (await promisify(execFile)(command, words, options)).stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${words.join(" ")} failed:\n${stdout}\n${stderr}`, {
      cause: error,
    });
  }
}

/** Creates a project with these packages from the npm registry, from files, or from git. */
export async function installProject(...packages: string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "project-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "project", private: true }));
  await execute(folder, "npm", "install", "--no-audit", "--no-fund", ...packages);
  return folder;
}

/** The package that `npm publish` would upload. */
export interface Tarball {
  path: string;
  /** The compressed size in bytes. */
  size: number;
  /** The paths in the package. */
  files: string[];
}

/** Packs the checkout. Its `prepare` script builds it. */
export async function pack(): Promise<Tarball> {
  const folder = mkdtempSync(join(tmpdir(), "packed-"));
  await execute(root, "npm", "pack", "--pack-destination", folder);
  const path = join(folder, "cadre-0.1.0.tgz");
  const listing = await execute(folder, "tar", "-tzf", path);
  const files = listing.trim().split("\n");
  return {
    path,
    size: readFileSync(path).length,
    files: files.map((file) => file.slice("package/".length)),
  };
}

/** Creates a separate repository with the current files of this checkout. */
export async function copyCheckout(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "checkout-"));
  const listed = await execute(
    root,
    "git",
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
  );
  for (const file of listed.split("\0")) {
    const path = join(root, file);
    if (file !== "" && existsSync(path)) cpSync(path, join(folder, file));
  }
  const author = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  await execute(folder, "git", "init", "--quiet");
  await execute(folder, "git", "add", "--all");
  await execute(folder, "git", ...author, "commit", "--quiet", "--message", "Copy");
  return folder;
}
