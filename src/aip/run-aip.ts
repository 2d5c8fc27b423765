// `.aip` agents: reads and runs AIPack's agents, Markdown files with Lua, over a port to everything outside.

import { randomBytes } from "node:crypto";
import { CadreError } from "../errors.ts";
import { formatDiagnostic, hasError } from "../source/diagnostic.ts";
import type { JsonValue } from "../source/json.ts";
import type { Aip } from "./document/aip.ts";
import { type AipOptions, mergeAipOptions } from "./document/aip-options.ts";
import { type AipPack, positionOf } from "./location/aip-location.ts";
import type { AipPort, AipResponse } from "./location/aip-port.ts";
import { type AipSession, runStage } from "./aip-session.ts";
import { createLuaPool } from "./lua/lua-pool.ts";
import { reportSkip, runInput } from "./run-input.ts";
import { errorMessage } from "../error-message.ts";

/** How an agent is called. */
export interface AipInvocation {
  /** The reference for `CTX.AGENT_NAME`. */
  name: string;
  pack?: AipPack;
  /** `undefined` = none: the input stages then run once, with nil. */
  inputs?: readonly JsonValue[] | undefined;
  /** Options that the file overrides, such as a configuration's. */
  defaults?: AipOptions;
  /** Options of the caller, which override those of the file. */
  options?: AipOptions;
  /** Whether the caller decides about a requested redo. Default `false`. */
  reportsRedo?: boolean;
}

/** More threads do not help: most of an input's time is spent in the model. */
const maxThreads = 4;
const defaultRedos = 20;

/** The result of an execution, and whether the agent requested a redo. */
type Execution = { type: "done" | "redo"; response: AipResponse };

/**
 * Runs an `.aip` agent: Before All, then for each input Data, prompts, model and Output, then After All. With the same inputs and
 * a port that returns recorded results, a resume does the same.
 *
 * @throws Error `file.aip:LINE (# Stage): message` for a failure in a script or template, any rejection of `ask`, and the reason
 * of the port's signal; CadreError `definition-invalid` for a file with errors.
 */
export async function runAip(
  aip: Aip,
  invocation: AipInvocation,
  port: AipPort,
): Promise<AipResponse> {
  if (hasError(aip.diagnostics)) {
    const errors = aip.diagnostics.filter(({ severity }) => severity === "error");
    throw new CadreError("definition-invalid", errors.map(formatDiagnostic).join("\n"));
  }
  const own = mergeAipOptions(invocation.defaults ?? {}, aip.options);
  const options = mergeAipOptions(own, invocation.options ?? {});
  const maxRedos = port.limits?.redos ?? defaultRedos;
  const seed = await port.step({ key: "aip/seed", title: "random numbers" }, async () =>
    randomBytes(8).toString("hex"),
  );
  let threads = 1;
  const pool = createLuaPool(port.limits ?? {}, () => threads);
  try {
    for (let redo = 0; redo <= maxRedos; redo += 1) {
      const location = positionOf(aip.path, invocation.pack, port);
      const { name } = invocation;
      const session = { aip, name, location, port, pool, signal: port.signal, redo, seed };
      const execution = await execute(session, { inputs: invocation.inputs, options }, (count) => {
        threads = Math.min(count, maxThreads);
      });
      if (execution.type === "done") return execution.response;
      if (invocation.reportsRedo === true) return { ...execution.response, redo_requested: true };
    }
  } finally {
    await pool.close();
  }
  throw new Error(`${aip.path} requested a redo more than ${maxRedos} times`);
}

async function execute(
  session: AipSession,
  call: { inputs: readonly JsonValue[] | undefined; options: AipOptions },
  allowThreads: (count: number) => void,
): Promise<Execution> {
  const { inputs: given } = call;
  const first = await runStage(session, "before-all", {
    inputs: given === undefined ? undefined : [...given],
    options: call.options,
  });
  if (first.kind === "redo") return { type: "redo", response: { outputs: [], after_all: null } };
  if (first.kind === "skip") {
    reportSkip(session, first.reason);
    return { type: "done", response: { outputs: [], after_all: null, skipped: first.reason } };
  }
  const fields = first.kind === "response" ? first.fields : { before_all: first.value };
  const options =
    first.kind === "response" ? mergeAipOptions(call.options, first.options) : call.options;
  const beforeAll = fields["before_all"] ?? null;
  const inputs = Array.isArray(fields["inputs"]) ? fields["inputs"] : given;
  allowThreads(options.input_concurrency ?? 1);
  const tasks = inputsOf(session.aip, inputs);
  const outputs = await runTasks(session, tasks, { beforeAll, options });
  const last = await runStage(session, "after-all", {
    inputs: tasks.length > 0 ? tasks : inputs === undefined ? undefined : [...inputs],
    outputs,
    before_all: beforeAll,
    options,
  });
  const type = last.kind === "redo" ? "redo" : "done";
  return { type, response: { outputs, after_all: last.kind === "value" ? last.value : null } };
}

/** Returns the inputs to process. Without inputs, an agent with an input stage runs once. */
function inputsOf(aip: Aip, inputs: readonly JsonValue[] | undefined): JsonValue[] {
  if (inputs !== undefined && inputs.length > 0) return [...inputs];
  const { data, output } = aip.scripts;
  return data !== undefined || output !== undefined || aip.prompts.length > 0 ? [null] : [];
}

/** Processes the inputs, several at a time. The first failure ends the others. */
async function runTasks(
  session: AipSession,
  inputs: readonly JsonValue[],
  { beforeAll, options }: { beforeAll: JsonValue; options: AipOptions },
): Promise<JsonValue[]> {
  const outputs: JsonValue[] = inputs.map(() => null);
  const failing = new AbortController();
  const signal = AbortSignal.any([session.signal, failing.signal]);
  const inner = { ...session, signal };
  let next = 0;
  let failure: { error: unknown } | undefined;
  const work = async (): Promise<void> => {
    while (next < inputs.length && failure === undefined) {
      const index = next;
      next += 1;
      try {
        outputs[index] = await runInput(inner, {
          input: inputs[index] ?? null,
          index,
          beforeAll,
          options,
        });
      } catch (error) {
        session.signal.throwIfAborted();
        if (options.allow_run_on_task_fail === true) {
          const message = errorMessage(error);
          outputs[index] = { error: message };
          const text = `input ${index + 1} of ${inputs.length} failed: ${message}`;
          session.port.report({ type: "warning", text });
        } else {
          failure ??= { error };
          failing.abort(error);
        }
      }
    }
  };
  const lanes = Math.min(options.input_concurrency ?? 1, inputs.length);
  const ends = await Promise.allSettled(Array.from({ length: lanes }, work));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  if (failure !== undefined) throw failure.error;
  return outputs;
}
