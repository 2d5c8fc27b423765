// The command `cadre eval`.

import { globSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { parseBudget } from "../../arguments/parse-budget.ts";
import {
  type OutputFile,
  requireOutputFile,
  writeOutputFile,
} from "../../arguments/output-file.ts";
import { parseCount } from "../../arguments/parse-number.ts";
import { trustHelp } from "../../arguments/trust-text.ts";
import { UsageError } from "../../arguments/usage-error.ts";
import { cancelledExit, usageExit } from "../../error/exit-code.ts";
import { openCadre } from "../../run/open-cadre.ts";
import { cleanText } from "../../terminal/clean-text.ts";
import { listenForInterrupts } from "../../terminal/interrupts.ts";
import { columnsOf, writeError, writeJson, writeLine } from "../../terminal/output.ts";
import { formatNumberOf } from "../../view/format-value.ts";
import { formatEval } from "../../view/table/eval-view.ts";
import { omitUndefined } from "../../../omit-undefined.ts";
import type {
  Cadre,
  CadreOptions,
  EvalReport,
  LoadedCase,
  PermissionMode,
  RunEvalsOptions,
} from "../../../host.ts";
import { collectValues } from "../../arguments/collect-values.ts";

interface EvalOptions {
  model?: string[];
  repeat?: number;
  concurrency?: number;
  budget?: string;
  filter?: string;
  resume?: string;
  record?: string;
  replay?: string;
  mode?: PermissionMode;
  trust?: boolean;
  json?: boolean;
  junit?: string;
}

const examples = `
Examples:
  cadre eval evals/*.yaml --repeat 5 --model sonnet --model haiku
  cadre eval evals.yaml --filter tests --budget usd=2
  cadre eval evals.yaml --record evals/recorded      ask the model, and record its replies
  cadre eval evals.yaml --replay evals/recorded --junit report.xml
  cadre eval --resume last                           finished trials are not executed again

Exit codes: 0 every case passed, 1 a case failed or could not be graded, 2 wrong usage or input, 130 cancelled.`;

/** `cadre eval`. */
export function defineEval(command: Command, setExit: (code: number) => void): void {
  command
    .argument(
      "[files...]",
      "eval files, or globs of them; default with --resume: those of the eval",
    )
    .option(
      "--model <model>",
      "a model to compare, instead of the file's; may be repeated",
      collectValues,
    )
    .option("--repeat <n>", "the trials of each case, instead of the file's", parseCount)
    .option("--concurrency <n>", "the trials at a time (default: 4)", parseCount)
    .option("--budget <limits>", "limits for all runs together, such as usd=1,tokens=200000")
    .option("--filter <text>", "only cases whose name contains this text")
    .option("--resume <id>", "continue an eval that was ended: its id, or `last`")
    .option("--record <folder>", "record the replies of models in this folder")
    .option("--replay <folder>", "reply from recordings in this folder; asks no model")
    .option(
      "--mode <mode>",
      "what the runs may do without asking: plan, read-only, deny, ask, accept-edits or auto",
    )
    .option("--trust", trustHelp)
    .option("--json", "write the report as JSON on stdout")
    .option("--junit <file>", "write the report as JUnit XML to this file; its folder is created")
    .addHelpText("after", examples)
    .action(async (files: string[], options: EvalOptions) =>
      setExit(await evaluate(files, options)),
    );
}

async function evaluate(files: readonly string[], options: EvalOptions): Promise<number> {
  const { mode, trust, budget } = options;
  const limits = budget === undefined ? undefined : parseBudget(budget);
  const recordings = readRecordings(options);
  if (files.length === 0 && options.resume === undefined) {
    throw new UsageError("Expected eval files, such as evals.yaml, or --resume ID; got none.");
  }
  const paths = findFiles(files);
  if (options.junit !== undefined) requireOutputFile(junitFile(options.junit));
  const { model: models, repeat, concurrency, resume } = options;
  const cadreOptions: CadreOptions = omitUndefined({ mode, trust });
  const cadre = await openCadre(cadreOptions);
  try {
    const cases = files.length > 0 ? await readCases(cadre, paths, options.filter) : undefined;
    if (files.length > 0 && cases === undefined) return usageExit;
    const chosen = omitUndefined({
      models,
      repeat,
      concurrency,
      budget: limits,
      recordings,
      resume,
    });
    const settings = { ...chosen, cadreOptions };
    return await conduct(cadre, cases, settings, options);
  } finally {
    await cadre.close();
  }
}

function junitFile(path: string): OutputFile {
  return { option: "--junit", path };
}

async function conduct(
  cadre: Cadre,
  cases: readonly LoadedCase[] | undefined,
  chosen: Omit<RunEvalsOptions, "isTrusted">,
  options: EvalOptions,
): Promise<number> {
  const { runEvals, killAllProcesses } = await import("../../../host.ts");
  const abort = new AbortController();
  const interrupts = listenForInterrupts({
    onFirst() {
      writeError("Ending; Ctrl-C again ends at once.");
      abort.abort(new Error("the eval was ended"));
    },
    onSecond() {
      killAllProcesses();
      process.exit(cancelledExit);
    },
  });
  try {
    let total = 0;
    let done = 0;
    const report = await runEvals(cadre, cases, {
      ...chosen,
      isTrusted: await trustOf(options),
      signal: abort.signal,
      onStart(id, trials) {
        total = trials;
        writeError(`eval ${id}: ${formatNumberOf(trials, "trial")}`);
      },
      onTrial({ case: name, number, model, outcome }) {
        done += 1;
        const asked = model === null ? "" : ` · ${model}`;
        writeError(cleanText(`${done}/${total} ${outcome} ${name} #${number}${asked}`));
      },
    });
    await show(cadre, report, options);
    return exitOf(report);
  } finally {
    interrupts.stop();
  }
}

async function show(
  cadre: Cadre,
  report: EvalReport,
  { json = false, junit }: EvalOptions,
): Promise<void> {
  if (junit !== undefined) {
    const { formatJunit } = await import("../../../host.ts");
    writeOutputFile(junitFile(junit), formatJunit(report));
  }
  if (json) {
    writeJson(report);
  } else {
    const { agents } = await cadre.agents();
    for (const line of formatEval(report, agents, columnsOf(process.stdout))) writeLine(line);
  }
  if (report.isInterrupted) {
    writeError(`The eval was ended. Continue it: cadre eval --resume ${report.id}`);
  }
}

function exitOf({ outcome, isInterrupted }: EvalReport): number {
  if (isInterrupted) return cancelledExit;
  return outcome === "pass" ? 0 : 1;
}

async function readCases(
  cadre: Cadre,
  paths: readonly string[],
  filter = "",
): Promise<LoadedCase[] | undefined> {
  const { formatDiagnostic, hasError, loadEvals } = await import("../../../host.ts");
  const { cases, diagnostics } = await loadEvals(cadre, paths);
  for (const diagnostic of diagnostics) writeError(cleanText(formatDiagnostic(diagnostic)));
  if (hasError(diagnostics)) return undefined;
  const chosen = cases.filter(({ name }) => name.includes(filter));
  if (chosen.length > 0) return chosen;
  const names = cases.map(({ name }) => name).join(", ");
  throw new UsageError(`Expected --filter to match a case; got ${filter}. Cases: ${names}.`);
}

async function trustOf({ trust = false }: EvalOptions): Promise<(path: string) => boolean> {
  const { createTrust } = await import("../../../host.ts");
  const { homedir } = await import("node:os");
  const known = createTrust({ home: homedir(), environment: process.env });
  return (path) => trust || known.isTrusted(path);
}

function findFiles(files: readonly string[]): string[] {
  const found = files.flatMap((file) => {
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) {
      throw new UsageError(
        `Expected eval files; ${file} is a folder. Name its files, such as ${join(file, "*.yaml")}.`,
      );
    }
    if (!/[*?[{]/.test(file)) return [resolve(file)];
    const matches = globSync(file).toSorted();
    if (matches.length === 0) throw new UsageError(`Expected eval files; nothing matches ${file}.`);
    return matches.map((path) => resolve(path));
  });
  return [...new Set(found)];
}

function readRecordings({ record, replay }: EvalOptions): RunEvalsOptions["recordings"] {
  if (record !== undefined && replay !== undefined) {
    throw new UsageError("Expected --record or --replay; got both.");
  }
  const folder = record ?? replay;
  if (folder === undefined) return undefined;
  return { folder: resolve(folder), mode: record === undefined ? "replay" : "record" };
}
