import { readFileSync } from "node:fs";
import { extname, resolve } from "node:path";
import { UsageError } from "./usage-error.ts";
import { findStatus } from "./find-status.ts";

/** The meaning of the words after `cadre run`, as far as files determine it. */
export type Target =
  /** The absolute path of an agent, recipe or prompt file; the words are its task. */
  | { kind: "file"; path: string; words: readonly string[] }
  /** The absolute path of a graph file. */
  | { kind: "graph"; path: string }
  /** The name of an agent; the words are its task. */
  | { kind: "agent"; agent: string; words: readonly string[] }
  /** The name of an agent and its task, or just a task. */
  | { kind: "words"; words: readonly string[] };

const recipeEndings: readonly string[] = [".yaml", ".yml", ".json"];

/** File extensions that can be run. */
export const runnableEndings: readonly string[] = [
  ".md",
  ".aip",
  ".toml",
  ".ts",
  ".mts",
  ".js",
  ".mjs",
  ...recipeEndings,
];

/**
 * Decides whether `words` begin with a runnable file. `cwd` is the base of relative paths.
 *
 * @throws UsageError for words after a graph.
 */
export async function readTarget(words: readonly string[], cwd: string): Promise<Target> {
  const [first = "", ...rest] = words;
  const ending = extname(first).toLowerCase();
  const path = resolve(cwd, first);
  const status = findStatus(path);
  if (!runnableEndings.includes(ending) || status?.isFile() !== true) {
    return { kind: "words", words };
  }
  if (!recipeEndings.includes(ending) || !(await isGraphFile(path))) {
    return { kind: "file", path, words: rest };
  }
  if (rest.length === 0) return { kind: "graph", path };
  throw new UsageError(
    `Expected no words after the graph ${first}, whose runs have their own tasks; got: ${rest.join(" ")}.`,
  );
}

async function isGraphFile(path: string): Promise<boolean> {
  const { isGraph } = await import("../../host.ts");
  return isGraph(readFileSync(path, "utf8"));
}
