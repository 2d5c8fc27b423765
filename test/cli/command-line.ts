import type { ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileCache } from "../fixtures/compile-cache.ts";
import { runInProcess } from "./run-in-process.ts";

/** The root of the repository. */
export const root: string = fileURLToPath(new URL("../..", import.meta.url));

/** Node 24, for which the sources are written. */
export const node: string = join(root, "node_modules", ".bin", "node");

/** A folder with files, a home folder and a registry. */
export interface Project {
  path: string;
  home: string;
  /** Writes a file and creates its folders. Returns its path. */
  write(path: string, content: string): string;
  /** The environment of the command, without keys of providers. */
  environment: Record<string, string>;
}

/** The end of a command: its exit code and its output. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A running command. */
export interface Started {
  child: ChildProcess;
  /** Resolves when stderr contains `text`. Rejects if the command ends first. */
  printed(text: string): Promise<void>;
  ended: Promise<Ended>;
}

/** Creates a project in a temporary folder, which is removed when all tests have ended. */
export function createProject(files: Readonly<Record<string, string>> = {}): Project {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "cadre-cli-")));
  const home = realpathSync(mkdtempSync(join(tmpdir(), "cadre-home-")));
  mkdirSync(join(path, ".git"));
  const write = (name: string, content: string): string => {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    CADRE_STATE_DIR: join(path, "state"),
    CADRE_MODEL: "scripted:script.yaml",
    NODE_COMPILE_CACHE: compileCache,
    TMPDIR: tmpdir(),
  };
  return { path, home, write, environment };
}

/** Executes `cadre words…` in a project, in this process: see {@link runInProcess}. */
export async function cadre(
  { path, environment }: Project,
  words: readonly string[],
  input = "",
): Promise<Ended> {
  return await runInProcess(words, { cwd: path, environment, input });
}

/** Collects the output of a command. */
export function follow(child: ChildProcess, input: string | null): Started {
  const ended: Ended = { code: null, stdout: "", stderr: "" };
  const done = Promise.withResolvers<Ended>();
  const waiting = new Map<string, () => void>();
  // A character may arrive in two pieces.
  child.stdout?.setEncoding("utf8").on("data", (data: string) => (ended.stdout += data));
  child.stderr?.setEncoding("utf8").on("data", (data: string) => {
    ended.stderr += data;
    for (const [text, resolve] of waiting) if (ended.stderr.includes(text)) resolve();
  });
  child.on("error", done.reject);
  child.on("close", (code) => done.resolve({ ...ended, code }));
  // A command may leave some of its input unread.
  child.stdin?.on("error", () => {});
  if (input !== null) child.stdin?.end(input);
  return {
    child,
    ended: done.promise,
    async printed(text) {
      if (ended.stderr.includes(text)) return;
      const found = Promise.withResolvers<void>();
      waiting.set(text, () => found.resolve());
      const silent = done.promise.then(({ stderr }) => {
        throw new Error(`The command ended without saying ${text}: ${stderr}`);
      });
      await Promise.race([found.promise, silent]);
    },
  };
}

/** Returns the text of an agent file. */
export function agentFile(name: string, body = `You are ${name}.`): string {
  return `---\nname: ${name}\ndescription: Does ${name} work.\n---\n${body}\n`;
}
