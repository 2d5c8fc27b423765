import { type AgentDefinition, isProgram } from "../../agent/definition/agent.ts";
import type { Clock } from "../../clock.ts";
import type { RunSpec } from "../../run/run.ts";
import { askHooks } from "../run-context/ask-hooks.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { History } from "../loop/run-agent.ts";
import { modelKey } from "../loop/model-key.ts";
import { type AgentServices, conductAgent } from "../loop/conduct-agent.ts";
import type { InternalProgram } from "../program/internal-context.ts";
import type { ProgramServices } from "../program/program-context.ts";
import { runProgram } from "../program/run-program.ts";
import type { Conclusion, RunContext } from "../run-context/run-context.ts";
import type { EarlierConversation } from "../runner/prompt.ts";
import type { RunnerStartOptions } from "../runner/runner-process.ts";

/** The services behind the three kinds of agents. */
export interface AttemptServices extends ProgramServices, AgentServices {
  clock: Clock;
  /** Loads the program of a definition. */
  loadProgram: (definition: AgentDefinition) => Promise<InternalProgram>;
  /** Returns the options that start a run's runner. @throws CadreError `not-trusted` when it must not start. */
  prepareRunner: (spec: RunSpec, definition: AgentDefinition) => Promise<RunnerStartOptions>;
  limits: AgentServices["limits"];
}

/** Executes one attempt at a run: of a program, of an agent in a runner, or of an agent in Cadre's own loop. */
export async function executeAttempt(
  run: RunContext,
  services: AttemptServices,
): Promise<Conclusion> {
  const isPast = run.steps.isRecorded(modelKey(run, 1));
  const start = { point: "beforeRun", key: `${run.prefix}start`, event: {}, isPast } as const;
  const { context } = await askHooks(run, start);
  if (isProgram(run.definition)) return await executeProgram(run, services);
  if (run.definition.runner !== undefined) return await executeInRunner(run, services);
  const history = run.spec.continues === undefined ? undefined : await recall(run);
  return conductAgent(services, run, omitUndefined({ context, history }));
}

async function recall(run: RunContext): Promise<History> {
  const { recallConversation } = await import("../recall/recall-conversation.ts");
  return await recallConversation(run);
}

async function executeInRunner(
  run: RunContext,
  { clock, prepareRunner }: AttemptServices,
): Promise<Conclusion> {
  const { definition, spec } = run;
  const { runInRunner } = await import("../runner/run-in-runner.ts");
  return await runInRunner(run, {
    clock,
    conversation: spec.continues === undefined ? undefined : await recallEarlier(run),
    prepare: async () => await prepareRunner(spec, definition),
  });
}

async function recallEarlier(run: RunContext): Promise<EarlierConversation> {
  const { recallExchanges } = await import("../recall/recall-exchanges.ts");
  return await recallExchanges(run);
}

async function executeProgram(run: RunContext, services: AttemptServices): Promise<Conclusion> {
  const program = await services.loadProgram(run.definition);
  return await runProgram(run, program, services);
}
