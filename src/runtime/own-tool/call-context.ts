import type { Delegate } from "../../delegate/start/delegate.ts";
import type { Deadline } from "../../extension/elicitation/deadline.ts";
import type { ElicitAnswer, OnElicit } from "../../extension/elicitation/elicitation.ts";
import { askInCall } from "../../extension/elicitation/ask-in-call.ts";
import { plainLine } from "../../extension/plain-text.ts";
import type { JsonObject } from "../../source/json.ts";
import { orAbort } from "../../source/or-abort.ts";
import type { ToolContext } from "../../tool/tool.ts";
import type { OwnToolContext } from "../own-tool.ts";

/** The services that calls of own tools use. */
export interface CallServices {
  delegate: () => Pick<Delegate, "run">;
  onElicit: OnElicit | undefined;
}

/** One call of an own tool. */
export interface OwnCall {
  /** The name of the tool. */
  tool: string;
  context: ToolContext;
  deadline: Deadline;
  /** Aborts when the call has ended or is to end. */
  signal: AbortSignal;
}

/** The maximum length of a line of progress, in characters. */
const progressCharacters = 1000;

const oneText: JsonObject = {
  type: "object",
  properties: { answer: { type: "string" } },
  required: ["answer"],
};

/** Creates the functions of a call. */
export function createCallContext(services: CallServices, call: OwnCall): OwnToolContext {
  const { context, deadline, signal } = call;
  const { caller, runId, workspace } = context;
  let delegations = 0;

  /** Waits without holding the run's slot or using up the call's time limit. A tool need not await it. */
  function wait<Value>(begin: () => Promise<Value>, waiting = context.yieldWhile): Promise<Value> {
    const work = act(begin, waiting);
    work.catch(() => undefined);
    return work;
  }

  async function act<Value>(
    begin: () => Promise<Value>,
    waiting: ToolContext["yieldWhile"],
  ): Promise<Value> {
    signal.throwIfAborted();
    return await deadline.pauseWhile(waiting(orAbort(begin(), signal)));
  }

  return {
    signal,
    runId,
    stepKey: `${runId}/${context.stepKey}`,
    agent: caller.spec.agent,
    workspace,
    report(progress: unknown) {
      if (signal.aborted) return;
      // The tool may be plain JavaScript.
      const text = typeof progress === "string" ? progress : JSON.stringify(progress);
      context.report(plainLine(text ?? "", progressCharacters));
    },
    ask: (message, schema = oneText) =>
      wait(() => askUser(services, call, { message, schema }), context.awaitUser),
    delegate(request) {
      delegations += 1;
      const origin = { ...caller, stepKey: `${context.stepKey}/delegate/${delegations}` };
      return wait(() => services.delegate().run(request, origin));
    },
  };
}

async function askUser(
  { onElicit }: Pick<CallServices, "onElicit">,
  { tool, context, signal }: OwnCall,
  { message, schema }: { message: string; schema: JsonObject },
): Promise<ElicitAnswer> {
  const question = { extension: tool, from: "tool", message, schema } as const;
  return await askInCall(onElicit, question, { tool, context, signal });
}
