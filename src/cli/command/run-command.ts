// The commands of `cadre`, one file each.

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { ShowOptions } from "../run/show-results.ts";
import { checkContinue, continueRun, separateContinue } from "../run/continue-run.ts";
import { checkInteractive, repeatRun } from "../run/repeat-run.ts";
import { parseBudget } from "../arguments/parse-budget.ts";
import { parseParameters } from "../arguments/parse-parameters.ts";
import { parseSeconds } from "../arguments/parse-duration.ts";
import type { BackgroundRequest } from "../background/run-in-background.ts";
import { checkBackground } from "../worker/check-background.ts";
import {
  addDetachOptions,
  type DetachOptions,
  findWorkerFlag,
  toQueue,
  toDbosOptions,
} from "../worker/detach-options.ts";
import { startRuns } from "../worker/start-runs.ts";
import { refuseBoth } from "../run/refuse-both.ts";
import { type ChosenAgent, chooseAgent, findFileAgent } from "../arguments/choose-agent.ts";
import { readTarget, type Target } from "../arguments/read-target.ts";
import { readTask } from "../arguments/read-task.ts";
import { toGrants, waitHelp } from "../arguments/grant-options.ts";
import { trustHelp } from "../arguments/trust-text.ts";
import { UsageError } from "../arguments/usage-error.ts";
import type { Cadre, CadreOptions, Delegation, RunHandle } from "../../host.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { collectValues } from "../arguments/collect-values.ts";

interface RunOptions extends ShowOptions, DetachOptions {
  continue?: string;
  agent?: string;
  recipe?: string;
  param?: string[];
  input?: string[];
  onFiles?: string[];
  model?: string;
  fallback?: string[];
  cwd?: string;
  timeout?: number;
  budget?: string;
  mode?: NonNullable<CadreOptions["mode"]>;
  sandbox?: NonNullable<CadreOptions["sandbox"]>;
  trust?: boolean;
  waitForAnswers?: boolean;
  label?: string;
  team?: boolean;
  interactive?: boolean;
  bg?: boolean;
}

const examples = `
Examples:
  cadre run "find out why the tests fail, and fix it"
  cadre run code-reviewer src/index.ts
  cadre run ./my-agent.md "look at the last commit" --model sonnet
  cadre run "Explain src" --model sonnet --fallback gpt --fallback ollama:qwen3
  cadre run review.yaml --param target=src --budget usd=1
  cadre run release.graph.yaml
  cadre run prompt.md
  cadre run doc.aip -f "src/**/*.ts"
  cadre run --continue "now add a test"
  cadre run --continue=7f3q01c "and in French"
  cadre run --bg "go through the open issues"
  cadre run --detach --needs gpu "train the model again"
  cadre run --detach --workspace git "fix the failing tests"
  cadre run --detach --after 2h --dedupe nightly "go through the logs"
  cadre run --agent researcher --json "what changed?" > result.json
  git diff | cadre run code-reviewer

Exit codes: 0 succeeded, 1 failed, 2 wrong usage or input, 124 timed out, 130 cancelled.`;

/** `cadre run`. */
export function defineRun(command: Command, setExit: (code: number) => void): void {
  const parseOptions = command.parseOptions.bind(command);
  command.parseOptions = (words) => parseOptions(separateContinue(words));
  command
    .argument(
      "[words...]",
      "the name or file of an agent, a recipe or a pipeline, then its task; a graph's file; or a task for the main agent",
    )
    .option("--agent <name>", "the agent; all words are its task")
    .option(
      "-c, --continue [run]",
      "continue the latest conversation, or with --continue=RUN the conversation of a run; all words are the text",
    )
    .option("--model <model>", "provider:model or an alias, instead of the agent's own")
    .option(
      "--fallback <model>",
      "a model that takes over when the others fail for good; may be repeated",
      collectValues,
    )
    .option("--cwd <dir>", "the folder to work in (default: the current one)")
    .option("--timeout <time>", "the longest running time: seconds, or such as 10m", parseSeconds)
    .option(
      "--mode <mode>",
      "what the run may do without asking: plan, read-only, deny, ask, accept-edits or auto",
    )
    .option("--sandbox <mode>", "whether commands run in a sandbox: auto, off or required")
    .option("--trust", trustHelp)
    .option("--wait-for-answers", waitHelp)
    .option("--label <label>", "a name for the run")
    .option("--team", "make the run a member of its family's team")
    .option(
      "--interactive",
      "stay on the terminal afterwards: r runs it again with the current files, q quits",
    )
    .option(
      "--bg",
      "execute the run in the background, and return its id at once; see `cadre attach` and `cadre logs`",
    );
  addDetachOptions(command)
    .option("--json", "write one result object on stdout, everything else on stderr")
    .option("--events", "write the journal of the whole family as NDJSON on stdout")
    .option("--recipe <file>", "the file or name of a recipe; all words are appended to its text");
  addInputOptions(command)
    .addHelpText("after", examples)
    .action(async (words: string[], options: RunOptions) => {
      const commands = (command.parent?.commands ?? []).map((one) => one.name());
      refuseBoth(options);
      checkBackground(options);
      if (options.continue !== undefined) return setExit(await goOn(words, options));
      if (options.interactive !== true) return setExit(await run(words, options, commands));
      checkInteractive(options);
      setExit(await repeatRun(() => run(words, options, commands)));
    });
}

/** Adds the options for values and limits of a run. */
function addInputOptions(command: Command): Command {
  return command
    .option(
      "--param <key=value>",
      "a value for a parameter of the recipe; may be repeated",
      collectValues,
    )
    .option("-i, --input <text>", "an input for an .aip agent; may be repeated", collectValues)
    .option(
      "-f, --on-files <glob>",
      "each matching file is an input for an .aip agent; may be repeated",
      collectValues,
    )
    .option(
      "--budget <limits>",
      "limits for it and its sub-agents together, such as usd=1,tokens=200000",
    );
}

/** `cadre run --continue`. */
async function goOn(words: readonly string[], options: RunOptions): Promise<number> {
  const { continue: named = "" } = options;
  checkContinue({ ...options, continue: named });
  return await conduct(options, undefined, async (cadre, note) => {
    const queue = toQueue(options);
    return await continueRun(cadre, words, { ...options, continue: named, queue, note });
  });
}

async function run(
  words: readonly string[],
  options: RunOptions,
  commands: readonly string[],
): Promise<number> {
  const target = await chooseTarget(words, options);
  const file = target.kind === "file" ? target.path : undefined;
  return await conduct(options, file, async (cadre, note) => {
    if (target.kind === "graph") return await spawnGraph(cadre, target.path, options);
    const chosen = await choose(cadre, target, { typed: words, commands });
    return await spawn(cadre, chosen, { ...options, note });
  });
}

/** Starts a run and waits for its end, or leaves it in the background. Returns the exit code. */
async function conduct(
  options: RunOptions,
  file: string | undefined,
  begin: BackgroundRequest["begin"],
): Promise<number> {
  const forCadre = toCadreOptions(options, file);
  const { json } = options;
  if (options.detach === true) {
    const { runDetached } = await import("../worker/run-detached.ts");
    await runDetached({ options: forCadre, json, dbosOptions: toDbosOptions(options), begin });
    return 0;
  }
  if (options.bg !== true) {
    return await startRuns({
      show: options,
      options: forCadre,
      dbosOptions: toDbosOptions(options),
      workerFlag: findWorkerFlag(options),
      toJson: ([result]) => result,
      begin: async (cadre, note) => [await begin(cadre, note)],
    });
  }
  const { runInBackground } = await import("../background/run-in-background.ts");
  const models = omitUndefined({ model: options.model, fallbacks: options.fallback });
  await runInBackground({ options: forCadre, models, json, begin });
  return 0;
}

async function choose(
  cadre: Cadre,
  target: Exclude<Target, { kind: "graph" }>,
  { typed, commands }: { typed: readonly string[]; commands: readonly string[] },
): Promise<ChosenAgent> {
  const { words } = target;
  if (target.kind === "agent") return target;
  if (target.kind === "file")
    return { agent: await findFileAgent(cadre, target.path, typed), words };
  return await chooseAgent(cadre, words, { cwd: process.cwd(), commands });
}

async function spawnGraph(cadre: Cadre, path: string, options: RunOptions): Promise<RunHandle> {
  const { model, fallback, timeout, label, param, budget, input, onFiles } = options;
  if (param !== undefined) throw new UsageError("Expected no --param: a graph has no parameters.");
  if (input !== undefined || onFiles !== undefined)
    throw new UsageError("Expected no inputs: a graph's file defines the inputs of its runs.");
  return await cadre.spawnGraph(path, {
    ...(budget !== undefined && { budget: parseBudget(budget) }),
    ...omitUndefined({ model, fallbacks: fallback, timeoutSeconds: timeout, label }),
    ...omitUndefined({ queue: toQueue(options) }),
  });
}

async function spawn(
  cadre: Cadre,
  { agent, words }: ChosenAgent,
  options: RunOptions & { note: (line: string) => void },
): Promise<RunHandle> {
  const { model, fallback, timeout, label, team, param = [], budget } = options;
  const { agents } = await cadre.agents();
  const format = agents.find(({ name }) => name === agent)?.source.format ?? "cadre";
  const isOptional = formatsWithTask.has(format);
  const values = parseParameters(param);
  const inputs = await readInputs(options, { agent, format, words });
  const taskOptions = { agent, isOptional, note: options.note };
  const task = inputs === undefined ? await readTask(words, taskOptions) : undefined;
  return await cadre.spawn({
    agent,
    ...omitUndefined({ task }),
    ...(param.length > 0 && { parameters: format === "prompt" ? readValues(values) : values }),
    ...omitUndefined({ inputs }),
    ...(budget !== undefined && { budget: parseBudget(budget) }),
    ...omitUndefined({ model, fallbacks: fallback, timeoutSeconds: timeout, label, team }),
    ...omitUndefined({ queue: toQueue(options) }),
  });
}

/** Returns the inputs of an `.aip` agent from `--input` and `--on-files`. */
async function readInputs(
  { input, onFiles, cwd = "." }: RunOptions,
  { agent, format, words }: { agent: string; format: string; words: readonly string[] },
): Promise<Delegation["inputs"]> {
  if (input === undefined && onFiles === undefined) return undefined;
  const flag = input === undefined ? "--on-files" : "--input";
  if (format !== "aip") {
    throw new UsageError(
      `Expected no ${flag}: ${agent} is not an .aip agent and takes a task instead.`,
    );
  }
  if (words.length > 0) {
    throw new UsageError(
      `Expected ${flag} or words, which are an input themselves; got both: ${words.join(" ")}.`,
    );
  }
  if (onFiles === undefined) return input;
  if (input !== undefined) throw new UsageError("Expected --input or --on-files; got both.");
  const { listAipInputs } = await import("../../host.ts");
  return await listAipInputs(onFiles, { cwd: resolve(cwd), home: homedir() });
}

/** Formats whose agents need no words on the command line. */
const formatsWithTask: ReadonlySet<string> = new Set(["recipe", "prompt", "aip"]);

/** Parses values as JSON, because parameters of a prompt file have any type; other text stays text. */
function readValues(values: Record<string, string>): NonNullable<Delegation["parameters"]> {
  const entries = Object.entries(values).map(([key, text]) => [key, readValue(text)] as const);
  return Object.fromEntries(entries) as NonNullable<Delegation["parameters"]>;
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function toCadreOptions(options: RunOptions, file: string | undefined): CadreOptions {
  const { model: _, ...grants } = options;
  return {
    ...toGrants(grants),
    ...omitUndefined({ cwd: options.cwd }),
    ...(file !== undefined && { agentFiles: [file] }),
  };
}

/** Chooses the target. With `--recipe` and `--agent`, all words are the task. */
async function chooseTarget(
  words: readonly string[],
  { agent, recipe, cwd = "." }: Pick<RunOptions, "agent" | "recipe" | "cwd">,
): Promise<Target> {
  const here = process.cwd();
  if (recipe === undefined) {
    return agent === undefined ? await readTarget(words, here) : { kind: "agent", agent, words };
  }
  if (agent !== undefined) {
    throw new UsageError("Expected --agent or --recipe; got both. Use one of them.");
  }
  const { findRecipe } = await import("../../host.ts");
  const isFile = existsSync(resolve(here, recipe));
  const project = { cwd: resolve(here, cwd), home: homedir(), environment: process.env };
  const path = await findRecipe(recipe, isFile ? { ...project, cwd: here } : project);
  if (/\.(?:ya?ml|json)$/i.test(path)) return { kind: "file", path, words };
  throw new UsageError(
    `Expected the file of a recipe after --recipe, which ends in .yaml, .yml or .json; got ${path}. Run other files without --recipe.`,
  );
}
