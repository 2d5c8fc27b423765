import { existsSync, readFileSync, statSync } from "node:fs";
import { extname, resolve } from "node:path";
import { UsageError } from "./usage-error.ts";
import type { AgentDefinition, Cadre } from "../index.ts";

/** What the words behind `cadre run` mean. */
export type Target =
  /** The file of an agent or a recipe, absolute; the words are its task. */
  | { kind: "file"; path: string; words: readonly string[] }
  /** The file of a graph, absolute. */
  | { kind: "graph"; path: string }
  /** Perhaps the name of an agent, else all words are the task. */
  | { kind: "words"; words: readonly string[] };

const agentExtensions = new Set([".md", ".toml", ".ts", ".mts", ".js", ".mjs", ".aip"]);
const recipeExtensions = new Set([".yaml", ".yml", ".json"]);

/**
 * Tells a file from words. `cwd` is what a relative path is meant from.
 *
 * @throws UsageError for what looks like a file and is none.
 */
export async function readTarget(words: readonly string[], cwd: string): Promise<Target> {
  const [first = "", ...rest] = words;
  const extension = extname(first).toLowerCase();
  const isKnown = agentExtensions.has(extension) || recipeExtensions.has(extension);
  if (!isKnown) return { kind: "words", words };
  const path = resolve(cwd, first);
  if (existsSync(path) && statSync(path).isFile()) {
    if (recipeExtensions.has(extension) && (await isGraphFile(path))) {
      if (rest.length === 0) return { kind: "graph", path };
      throw new UsageError(
        `Expected nothing behind the graph ${first}, whose runs have their tasks; got: ${rest.join(" ")}.`,
      );
    }
    return { kind: "file", path, words: rest };
  }
  if (extension === ".aip" && packReference.test(first)) return { kind: "words", words };
  const isMeantAsPath = !/\s/.test(first) && (rest.length === 0 || /[\\/]/.test(first));
  if (!isMeantAsPath) return { kind: "words", words };
  throw new UsageError(
    `Expected an agent file, an agent name or a task; there is no file ${path}. For a task, write more than one word or use --agent main.`,
  );
}

async function isGraphFile(path: string): Promise<boolean> {
  const { isGraph } = await import("../index.ts");
  return isGraph(readFileSync(path, "utf8"));
}

/**
 * The agent in a file given on the command line; `cadre` was opened with it among its `agentFiles`.
 *
 * @throws UsageError when the file holds something else, CadreError `definition-invalid` when it has errors.
 */
export async function findFileAgent(cadre: Cadre, path: string): Promise<AgentDefinition> {
  const { all } = await cadre.agents();
  // Those given by hand come first.
  const found = all.find(({ source }) => source.path === path);
  if (found === undefined) {
    throw new UsageError(`Expected an agent, a recipe or a prompt; ${path} is none of them.`);
  }
  await refuseBroken(found);
  return found;
}

/** An agent of a pack, as people refer to it: with its file's ending, and `main` where the name leaves it away. */
const packReference = /^([A-Za-z_][\w-]*@[A-Za-z_][\w-]*(?:\/\S+?)??)(?:\/main)?(?:\.aip)?\/?$/;

/**
 * What to run for words: the agent that the first one names and its task, else `main` and all of them.
 *
 * @throws UsageError for a single word that is nearly the name of an agent, CadreError when `agent` is broken.
 */
export async function readWords(
  cadre: Cadre,
  words: readonly string[],
  agent: string | undefined,
): Promise<{ agent: string; words: readonly string[] }> {
  const { agents, all } = await cadre.agents();
  const [first = "", ...rest] = words;
  const name = agent ?? (all.some((one) => one.name === first) ? first : undefined);
  if (name !== undefined) {
    const isUsable = agents.some((one) => one.name === name);
    const broken = all.find((one) => one.name === name);
    if (!isUsable && broken !== undefined) await refuseBroken(broken);
    return { agent: name, words: agent === undefined ? rest : words };
  }
  const reference = packReference.exec(first)?.[1];
  if (reference !== undefined) {
    const found = all.find((one) => one.name === reference);
    if (found !== undefined) return await readWords(cadre, [found.name, ...rest], undefined);
  }
  if (words.length === 1 && !/\s/.test(first)) {
    const { nearestName } = await import("../index.ts");
    const meant = nearestName(
      first,
      agents.map((one) => one.name),
    );
    if (meant !== null) {
      throw new UsageError(
        `There is no agent ${first}. Did you mean \`${meant}\`? If it is a task: cadre run --agent main ${first}`,
      );
    }
    if (/^[\w-]+@/.test(first)) refuseReference(first, all);
  }
  // A pack that is not there and a task for it.
  if (words.length === 2 && reference !== undefined) refuseReference(first, all);
  return { agent: "main", words };
}

/** Says why what looks like an agent of a pack is none. */
function refuseReference(reference: string, all: readonly AgentDefinition[]): never {
  const pack = /^([\w-]+@[\w-]+)(?:\/|$)/.exec(reference)?.[1];
  if (pack === undefined) {
    throw new UsageError(
      `There is no agent ${reference}. Expected a pack as NAMESPACE@PACK, or an agent of it as NAMESPACE@PACK/PATH.`,
    );
  }
  const inside = all.map(({ name }) => name).filter((name) => name.startsWith(`${pack}/`));
  const why =
    inside.length > 0
      ? `the pack has ${inside.join(", ")}.`
      : "no pack with it lies in .aipack/custom or ~/.aipack-base/pack. `cadre agents` lists those there are.";
  throw new UsageError(
    `There is no agent ${reference}: ${why} For a task that begins so: cadre run --agent main …`,
  );
}

/**
 * The task: the words, or else what stdin holds where that is not a terminal.
 *
 * @throws UsageError when there is none, or far too much of it.
 */
export async function readTask(words: readonly string[], agent: string): Promise<string> {
  if (words.length > 0) {
    const task = words.join(" ");
    if (task.trim() !== "") return task;
  } else if (!process.stdin.isTTY) {
    const task = await readPipe();
    if (task.trim() !== "") return task;
  }
  throw new UsageError(
    `Expected a task for ${agent}; got none. Write it behind the name (cadre run ${agent} "what to do") or pipe it in (cadre run ${agent} < task.txt).`,
  );
}

/** No model takes more, and what is piped in may have no end. */
const maxTaskBytes = 16 * 1024 * 1024;

async function readPipe(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxTaskBytes) {
      throw new UsageError(
        `Expected a task of at most ${maxTaskBytes} bytes; more was piped in. Write it to a file and name the file in the task.`,
      );
    }
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function refuseBroken(agent: AgentDefinition): Promise<void> {
  const errors = agent.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  const { CadreError, formatDiagnostic } = await import("../index.ts");
  const lines = errors.map((error) => `\n${formatDiagnostic(error)}`).join("");
  throw new CadreError("definition-invalid", `The agent ${agent.name} cannot be used:${lines}`);
}
