import type { EvalCheck } from "../../eval/eval-file.ts";
import { readVerdict, type TrialRecord } from "../../eval/grade.ts";
import { runHookCommand } from "../hook/run-hook-command.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { JsonObject } from "../../source/json.ts";
import type { Cadre } from "../cadre.ts";
import { type EvalContext, modelFor, runOnce } from "./eval-context.ts";
import { judgeStep, labelOf, type PlannedTrial } from "./trial-plan.ts";
import { promptFile } from "../../prompt-file.ts";

const judgePrompt = promptFile(new URL("./prompt/judge.md", import.meta.url));

/** A check's result: whether it holds, with a reason; an `error` decides nothing. */
export interface CheckEnd {
  outcome: "pass" | "fail" | "error";
  reason: string;
  cost: number | null;
}

/** Options of {@link checkTrial}. */
export interface CheckTrialOptions {
  cadre: Cadre;
  context: EvalContext;
  plan: PlannedTrial;
  workspace: string;
}

const maxOutputLength = 500;

/** Executes one check of a trial. `index` is its position in the case. */
export async function checkTrial(
  options: CheckTrialOptions,
  check: EvalCheck,
  index: number,
  record: TrialRecord,
): Promise<CheckEnd> {
  return "command" in check
    ? await checkByCommand(options, check, record)
    : await checkByJudge(options, check, index, record);
}

async function checkByCommand(
  { context, workspace }: CheckTrialOptions,
  check: Extract<EvalCheck, { command: string }>,
  record: TrialRecord,
): Promise<CheckEnd> {
  const { signal, environment } = context;
  const input = record as unknown as JsonObject;
  const end = await runHookCommand(check, { input, signal }, { cwd: workspace, environment });
  const { exitCode, problem, stdout, stderr } = end;
  if (exitCode === 0 && problem === undefined) return { outcome: "pass", reason: "", cost: 0 };
  const how = problem ?? `ended with exit code ${exitCode}`;
  const output = (stderr || stdout).trim().slice(-maxOutputLength);
  const reason = `The check \`${check.command}\` ${how}.${output === "" ? "" : ` ${output}`}`;
  return { outcome: signal.aborted ? "error" : "fail", reason, cost: 0 };
}

async function checkByJudge(
  { cadre, context, plan, workspace }: CheckTrialOptions,
  { judge, model: own }: Extract<EvalCheck, { judge: string }>,
  index: number,
  record: TrialRecord,
): Promise<CheckEnd> {
  const step = judgeStep(index);
  const model = modelFor(
    context,
    own ?? plan.one.judgeModel ?? plan.model ?? undefined,
    `${plan.key}-judge-${index + 1}`,
  );
  const { result } = await runOnce(cadre, context, {
    agent: {
      name: "eval-judge",
      description: "Judges the work of another agent by one criterion.",
      systemPrompt: judgePrompt(),
      tools: [],
    },
    task: describeWork(judge, plan.one.task, record),
    label: labelOf(context.id, plan, step),
    cwd: workspace,
    outputSchema: verdictSchema,
    maxTurns: 5,
    ...omitUndefined({ model }),
  });
  const { cost } = result;
  const verdict = readVerdict(result.output);
  if (verdict === undefined) {
    const why = result.failure?.message ?? "Its answer is not { pass, reason }.";
    return { outcome: "error", reason: `The judge gave no verdict: ${why}`, cost };
  }
  const reason = `The judge refuses (${judge}): ${verdict.reason}`;
  return { outcome: verdict.pass ? "pass" : "fail", reason, cost };
}

const verdictSchema: JsonObject = {
  type: "object",
  properties: { pass: { type: "boolean" }, reason: { type: "string" } },
  required: ["pass", "reason"],
  additionalProperties: false,
};

function describeWork(criterion: string, task: string, record: TrialRecord): string {
  const { text, output, delegations, tools, status } = record;
  const work = JSON.stringify({ task, status, text, output, delegations, tools }, null, 2);
  return `Criterion: ${criterion}\n\nThe record of the work:\n\n${work}`;
}
