import type { ToolAnswer } from "../../model/conversation.ts";
import type { ReplyPart } from "../../model/model.ts";
import type { JsonValue } from "../../source/json.ts";
import { capOutput } from "../../tool/output/output-cap.ts";
import type {
  PreparedCall,
  Tool,
  ToolContext,
  ToolOutcome,
  WebSearchAnswer,
} from "../../tool/tool.ts";
import { findTool } from "./select-tools.ts";
import { interruptedOutcome, takeToolStep, type ToolStep } from "./tool-step.ts";
import { isUnhooked } from "../run-context/ask-hooks.ts";
import { type CallDecision, hookAfterTool, hookBeforeTool } from "./call-hooks.ts";
import { refuseCall } from "./check-permission.ts";
import type { StepCall } from "../run-context/step.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { messageOf } from "../run-failed.ts";

/** A tool call of a model's reply. */
export type CallPart = Extract<ReplyPart, { type: "tool-call" | "malformed-tool-call" }>;

/** Reports whether a part of a reply calls a tool. */
export function isCall(part: ReplyPart): part is CallPart {
  return part.type === "tool-call" || part.type === "malformed-tool-call";
}

/** Returns the answer to a call, as the model receives it. */
export function toAnswer(
  { id, tool }: CallPart,
  { text, isError = false, images = [] }: ToolOutcome,
): ToolAnswer {
  return { id, tool, text, isError, images };
}

/** Records the files that a call read or wrote in `seen`. */
export function noteFiles(seen: Map<string, string>, { files = [] }: ToolOutcome): void {
  for (const file of files) {
    if (file.hash === null) seen.delete(file.path);
    else seen.set(file.path, file.hash);
  }
}

/** The tools of one run, and the state that their calls share. */
export interface Toolbox {
  tools: ReadonlyMap<string, Tool>;
  /** The names of `tools`. */
  names: readonly string[];
  /** The last seen hash of each file that the run has read or written. */
  seenFiles: Map<string, string>;
  /** Absent where the model's provider has no web search. */
  searchWeb?: ((query: string, key: string) => Promise<WebSearchAnswer>) | undefined;
  /** The maximum length of an outcome's text for the model, in characters. */
  outputCharacters: number;
}

/** A call with its tool and valid arguments, or an outcome that describes the problem. */
export type PlannedCall = { key: string; part: CallPart } & (
  | { tool: Tool; call: PreparedCall; input: JsonValue; decided?: CallDecision }
  | { problem: string }
);

/** Finds the tool of `part` and checks its arguments. Has no effect. */
export function planCall(part: CallPart, key: string, resources: CallResources): PlannedCall {
  const { tools, workspace } = resources;
  const tool = findTool(tools, part.tool);
  if (tool === undefined) {
    const names = [...tools.keys()].join(", ") || "none";
    return { key, part, problem: `There is no tool ${part.tool}. Available: ${names}.` };
  }
  if (part.type === "malformed-tool-call") {
    return {
      key,
      part,
      problem: `The arguments of ${part.tool} were not valid JSON (were they cut off?): ${part.text.slice(0, 200)}`,
    };
  }
  try {
    const call = tool.prepare(part.input, { workspace });
    if ("problem" in call) return { key, part, problem: call.problem };
    return { key, part, tool, call, input: part.input };
  } catch (error) {
    return { key, part, problem: `${part.tool} cannot be called like this: ${messageOf(error)}` };
  }
}

interface CallResources {
  tools: ReadonlyMap<string, Tool>;
  workspace: string;
}

/** Executes a call as a durable step. Rejects only when the run must end. */
export function callTool(
  run: RunContext,
  toolbox: Toolbox,
  planned: PlannedCall,
): Promise<ToolOutcome> {
  if (run.signal.aborted) return Promise.reject(run.signal.reason as Error);
  const calling = isUnhooked(run)
    ? recordCall(run, toolbox, planned)
    : interceptCall(run, toolbox, planned).then((call) => recordCall(run, toolbox, call));
  return calling.then((outcome) => {
    noteFiles(toolbox.seenFiles, outcome);
    return outcome;
  });
}

/** Lets hooks change the arguments of a call, or refuse it. */
async function interceptCall(
  run: RunContext,
  toolbox: Toolbox,
  planned: PlannedCall,
): Promise<PlannedCall> {
  if ("problem" in planned) return planned;
  const { key, tool, call } = planned;
  const { input, ...decided } = await hookBeforeTool(run, {
    ...planned,
    tool: tool.name,
    title: call.title,
  });
  if (input === undefined) return { ...planned, decided };
  const part = { type: "tool-call", id: planned.part.id, tool: tool.name, input } as const;
  const { workspace } = run.spec;
  return { ...planCall(part, key, { tools: toolbox.tools, workspace }), decided };
}

function recordCall(run: RunContext, toolbox: Toolbox, planned: PlannedCall): Promise<ToolOutcome> {
  const { key, part } = planned;
  if ("problem" in planned) {
    const { problem: text } = planned;
    return run.steps.do<ToolOutcome>(
      { key, kind: "tool", title: "invalid call", hasEffect: false, call: toStepCall(part) },
      async () => ({ value: { text, isError: true } }),
      {
        // The call was valid when it began. Its tool has another schema now.
        interrupted: () => interruptedOutcome("a call with these arguments"),
        refuse: async () => run.budget.callTool(),
      },
    );
  }
  const { tool, call } = planned;
  const { access, hasEffect = access === "edit" || access === "execute" } = tool;
  const refuse: ToolStep["refuse"] = (note, noteWarning) => {
    if (planned.decided?.warning !== undefined) noteWarning(planned.decided.warning);
    return refuseCall(run, {
      ...planned,
      ...planned.decided,
      note,
      onNoUser(reason) {
        const warning = warnOfDenial(run, call.title, reason);
        if (warning !== undefined) noteWarning(warning);
      },
    });
  };
  const advice = "Do without it, or say in your answer what you needed it for.";
  const step = { key, title: call.title, hasEffect, refuse, advice, call: toStepCall(part) };
  return takeToolStep(run, step, () => {
    const performing = performCall(run, toolbox, planned);
    if (isUnhooked(run)) return performing;
    return performing.then((outcome) => hookAfterTool(run, planned, outcome));
  });
}

/** The maximum number of denied calls that a result names. */
const maxDenials = 3;

/**
 * Warns of a denied call. The agent may work around it, so that the user would not learn of the denial. Returns the warning;
 * `undefined` when the result already names enough calls.
 */
function warnOfDenial({ warnings }: RunContext, title: string, reason: string): string | undefined {
  const end = `was denied: it needs an answer, and ${reason}. A rule or the option \`mode\` can allow such calls.`;
  const known = [...warnings].filter((warning) => warning.endsWith(end));
  if (known.length >= maxDenials) return undefined;
  const warning = `${title} ${end}`;
  warnings.add(warning);
  return warning;
}

function toStepCall(part: CallPart): StepCall {
  const { id, tool } = part;
  return { id, tool, input: part.type === "tool-call" ? part.input : part.text };
}

/** Executes a call without recording it. An error of the tool becomes an outcome. */
export async function performCall(
  run: RunContext,
  toolbox: Toolbox,
  { key, call }: { key: string; call: PreparedCall },
): Promise<ToolOutcome> {
  const context = createContext(run, toolbox, key);
  try {
    const work = call.execute(context);
    const outcome = await (call.quietMs === undefined
      ? work
      : run.watchdog.allowSilence(call.quietMs, work));
    run.watchdog.heartbeat();
    if (outcome.text.length <= toolbox.outputCharacters) return outcome;
    return { ...outcome, text: await capOutput(outcome.text, context, toolbox.outputCharacters) };
  } catch (error) {
    // An aborted call has no outcome: the run ends, or a resume finds the step interrupted.
    run.signal.throwIfAborted();
    return { text: `${call.title} failed: ${messageOf(error)}`, isError: true };
  } finally {
    run.endOutput(key);
  }
}

function createContext(run: RunContext, toolbox: Toolbox, stepKey: string): ToolContext {
  const { spec, outputFolder, signal } = run;
  const { searchWeb } = toolbox;
  return {
    caller: { spec, toolNames: toolbox.names },
    runId: spec.id,
    stepKey,
    workspace: spec.workspace,
    outputFolder,
    memory: run.memory,
    searchWeb: searchWeb && ((query) => run.watchdog.ignoreSilenceWhile(searchWeb(query, stepKey))),
    signal,
    seenFiles: toolbox.seenFiles,
    report: (progress) => run.report({ type: "progress", text: progress }),
    isWatched: run.isWatched,
    showOutput: (text) => run.report({ type: "tool-output", step: stepKey, text }),
    yieldWhile: (work) => run.waitFor(work),
    awaitUser: (answer) => run.watchdog.pauseWhile(run.slot.yieldWhile(answer)),
  };
}
