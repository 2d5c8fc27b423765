import type { Command } from "commander";
import { conductRuns, type ShowOptions } from "./conduct-runs.ts";
import { parsePositive } from "./parse-number.ts";
import { findFileAgent, readTarget, readTask, readWords, unsupported } from "./target.ts";
import { UsageError } from "./usage-error.ts";
import type { Cadre, CadreOptions, RunHandle } from "../index.ts";

interface RunOptions extends ShowOptions {
  agent?: string;
  recipe?: string;
  param?: string[];
  model?: string;
  cwd?: string;
  timeout?: number;
  budget?: string;
  mode?: string;
  sandbox?: string;
  trust?: boolean;
  label?: string;
}

const examples = `
Examples:
  cadre run "find out why the tests fail, and fix it"
  cadre run code-reviewer src/index.ts
  cadre run ./my-agent.md "look at the last commit" --model sonnet
  cadre run --agent researcher --json "what changed?" > result.json
  git diff | cadre run code-reviewer

Exit codes: 0 succeeded, 1 failed, 2 wrong usage or input, 124 timed out, 130 cancelled.`;

/** `cadre run`. */
export function defineRun(command: Command, setExit: (code: number) => void): void {
  command
    .argument("[words...]", "an agent's name or file, then its task; or a task for the main agent")
    .option("--agent <name>", "the agent; all words are its task")
    .option("--model <model>", "provider:model or an alias, instead of the agent's own")
    .option("--cwd <dir>", "the folder to work in (default: the current one)")
    .option("--timeout <seconds>", "running time after which it is ended", parsePositive)
    .option("--mode <mode>", "plan, deny, ask, accept-edits or auto: what it may do unasked")
    .option("--sandbox <mode>", "auto, off or required: whether commands run in a sandbox")
    .option("--trust", "let this project's program agents run, this once")
    .option("--label <label>", "a name for the run")
    .option("--json", "write one result object on stdout, everything else on stderr")
    .option("--events", "write the journal of the whole family as NDJSON on stdout")
    .option("--recipe <file>", "not supported by this version")
    .option("--param <key=value...>", "not supported by this version")
    .option("--budget <limits>", "not supported by this version")
    .addHelpText("after", examples)
    .action(async (words: string[], options: RunOptions) => {
      setExit(await run(words, options));
    });
}

async function run(words: readonly string[], options: RunOptions): Promise<number> {
  refuseLater(options);
  const here = process.cwd();
  const target = options.agent === undefined ? readTarget(words, here) : null;
  const file = target?.kind === "file" ? target.path : undefined;
  return await conductRuns({
    show: options,
    options: toCadreOptions(options, file),
    toJson: ([result]) => result,
    async begin(cadre) {
      const chosen =
        target?.kind === "file"
          ? { agent: (await findFileAgent(cadre, target.path)).name, words: target.words }
          : await readWords(cadre, words, options.agent);
      return [await spawn(cadre, chosen, options)];
    },
  });
}

async function spawn(
  cadre: Cadre,
  { agent, words }: { agent: string; words: readonly string[] },
  { model, timeout, label }: RunOptions,
): Promise<RunHandle> {
  return await cadre.spawn({
    agent,
    task: await readTask(words, agent),
    ...(model !== undefined && { model }),
    ...(timeout !== undefined && { timeoutSeconds: timeout }),
    ...(label !== undefined && { label }),
  });
}

function toCadreOptions(options: RunOptions, file: string | undefined): CadreOptions {
  const { cwd, mode, sandbox, trust } = options;
  return {
    ...(cwd !== undefined && { cwd }),
    ...(mode !== undefined && { mode }),
    ...(sandbox !== undefined && { sandbox }),
    ...(trust !== undefined && { trust }),
    ...(file !== undefined && { agentFiles: [file] }),
  };
}

function refuseLater({ recipe, param, budget, json, events }: RunOptions): void {
  if (json === true && events === true) {
    throw new UsageError("Expected --json or --events; got both. Each wants stdout for itself.");
  }
  if (recipe !== undefined) throw unsupported("--recipe is");
  if (param !== undefined) throw unsupported("--param (for recipes) is");
  if (budget !== undefined) throw unsupported("--budget is");
}
