import type { ReplyPart } from "../model/model.ts";
import { capOutput } from "../tool/output-cap.ts";
import type { PreparedCall, Tool, ToolContext, ToolOutcome } from "../tool/tool.ts";
import { refuseCall } from "./permit.ts";
import { findTool } from "./select-tools.ts";
import type { Session } from "./session.ts";
import { messageOf } from "./to-failure.ts";

/** A tool call of a model's reply. */
export type CallPart = Extract<ReplyPart, { type: "tool-call" | "malformed-tool-call" }>;

/** The tools of one run, and what its calls share. */
export interface Toolbox {
  tools: ReadonlyMap<string, Tool>;
  /** The hash of each file the run has read or written, as last seen. */
  seenFiles: Map<string, string>;
  /** The characters of an outcome's text that the model gets. */
  outputCharacters: number;
}

/** A call that is known to be answerable by a tool, or the outcome that says why it is not. */
export type PlannedCall =
  | { key: string; tool: Tool; call: PreparedCall; input: unknown }
  | { key: string; problem: string };

/** Finds the tool of `part` and checks the arguments; touches nothing. */
export function planCall(part: CallPart, key: string, place: CallPlace): PlannedCall {
  const { tools, workspace } = place;
  const tool = findTool(tools, part.tool);
  if (tool === undefined) {
    const names = [...tools.keys()].join(", ") || "none";
    return { key, problem: `There is no tool ${part.tool}. Available: ${names}.` };
  }
  if (part.type === "malformed-tool-call") {
    return {
      key,
      problem: `The arguments of ${part.tool} were not valid JSON (were they cut off?): ${part.text.slice(0, 200)}`,
    };
  }
  try {
    const call = tool.prepare(part.input, { workspace });
    if ("problem" in call) return { key, problem: call.problem };
    return { key, tool, call, input: part.input };
  } catch (error) {
    return { key, problem: `${part.tool} cannot be called so: ${messageOf(error)}` };
  }
}

interface CallPlace {
  tools: ReadonlyMap<string, Tool>;
  workspace: string;
}

/** Executes one call as a durable step. Rejects only when the run is to end. */
export async function callTool(
  session: Session,
  toolbox: Toolbox,
  planned: PlannedCall,
): Promise<ToolOutcome> {
  const outcome = await recordCall(session, toolbox, planned);
  for (const file of outcome.files ?? []) {
    if (file.hash === null) toolbox.seenFiles.delete(file.path);
    else toolbox.seenFiles.set(file.path, file.hash);
  }
  return outcome;
}

async function recordCall(
  session: Session,
  toolbox: Toolbox,
  planned: PlannedCall,
): Promise<ToolOutcome> {
  const { key } = planned;
  const refuse = (title: string, text: string): Promise<ToolOutcome> =>
    session.steps.do(
      { key, kind: "tool", title, hasEffect: false },
      async () => ({ value: { text, isError: true } }),
      { refuse: async () => session.budget.callTool() },
    );
  if ("problem" in planned) return await refuse("invalid call", planned.problem);
  const { tool, call } = planned;
  const hasEffect = tool.access === "edit" || tool.access === "execute";
  const step = { key, kind: "tool", title: call.title, hasEffect } as const;
  return await session.steps.do(
    step,
    async () => ({ value: await performCall(session, toolbox, planned) }),
    {
      interrupted: () => interruptedOutcome(call.title),
      async refuse() {
        const reason = await refuseCall(session, planned);
        if (reason !== undefined) return denied(call.title, reason);
        session.budget.callTool();
        return undefined;
      },
    },
  );
}

/** Executes a call, without recording it. What the tool throws becomes an outcome. */
export async function performCall(
  session: Session,
  toolbox: Toolbox,
  { key, call }: { key: string; call: PreparedCall },
): Promise<ToolOutcome> {
  const context = createContext(session, toolbox, key);
  try {
    const work = call.execute(context);
    const outcome = await (call.quietMs === undefined
      ? work
      : session.watchdog.expectQuietWhile(call.quietMs, work));
    session.watchdog.sign();
    if (outcome.text.length <= toolbox.outputCharacters) return outcome;
    return { ...outcome, text: await capOutput(outcome.text, context, toolbox.outputCharacters) };
  } catch (error) {
    // A tool that was aborted has no outcome: the run is ending, or will find the step interrupted.
    session.signal.throwIfAborted();
    return { text: `${call.title} failed: ${messageOf(error)}`, isError: true };
  }
}

function createContext(session: Session, toolbox: Toolbox, stepKey: string): ToolContext {
  const { spec, outputFolder, signal, slot, watchdog } = session;
  return {
    caller: { spec, toolNames: [...toolbox.tools.keys()] },
    runId: spec.id,
    stepKey,
    workspace: spec.workspace,
    outputFolder,
    signal,
    seenFiles: toolbox.seenFiles,
    report: (progress) => session.report("progress", progress),
    yieldWhile: (work) => watchdog.trustWhile(slot.yieldWhile(work)),
  };
}

function denied(title: string, reason: string): ToolOutcome {
  return {
    text: `Permission denied for ${title}: ${reason}. Do without it, or say in your answer what you needed it for.`,
    isError: true,
  };
}

/** What is recorded of a call that has an effect and was under way when the process was stopped. */
export function interruptedOutcome(title: string): ToolOutcome {
  return {
    text: `Interrupted, effect unknown, check before repeating: ${title} was under way when the process was stopped.`,
    isError: true,
  };
}
