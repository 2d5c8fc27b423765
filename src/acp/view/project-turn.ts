import { type CallContent, type CallView, viewCall } from "../editor/call-view.ts";
import type { CommandEnd, PlanEntry, Update } from "../editor/editor.ts";
import { plainText, type RunStreamPart } from "../../host.ts";

/** Converts the output of a turn, with that of its sub-agents, to updates for the editor. */
export interface TurnProjection {
  take(part: RunStreamPart): Update[];
  /** Returns the active runs that a call started. */
  startedBy(callId: string): readonly string[];
}

/** What a projection is created from. */
export interface TurnPlace {
  /** The id of the turn's run. */
  turn: string;
  /** The folder of its runs. */
  cwd: string;
  /** The turn was recorded earlier. Default false. */
  isPast?: boolean;
}

/** The longest result of a call that is shown, in characters. */
const longestResult = 20_000;
/** How many lines of a sub-agent's work are shown in its call. */
const mostLines = 20;

/** Names a call of any run of the turn. */
export function callId(runId: string, id: string): string {
  return `${runId}/${id}`;
}

/** Creates the projection of a turn. */
export function createTurnProjection({ turn, cwd, isPast = false }: TurnPlace): TurnProjection {
  const delegations = createDelegations();
  const calls = new Map<string, CallView>();
  /** The messages of the reply that is arriving. */
  const messages = new Set<string>();

  function begin({ runId, id, tool, input }: PartOf<"tool-call">): Update[] {
    if (tool === "final_output") return [];
    const shown = { id: callId(runId, id), tool, input, parentId: delegations.callOf(runId) };
    const call = viewCall(shown, cwd, isPast);
    calls.set(call.id, call);
    const isOwn = runId === turn;
    const progress = delegations.report(runId, `● ${call.title}`);
    return [{ type: "call", call }, ...planOf(tool, input, isOwn), ...progress];
  }

  function end({ runId, id, text, isError, output }: PartOf<"tool-result">): Update[] {
    const id_ = callId(runId, id);
    const call = calls.get(id_);
    calls.delete(id_);
    const shown = plainText(cut(text));
    const changes = (call?.content ?? []).map((one) => correctChange(one, text));
    const content: CallContent[] =
      isError || changes.length === 0 ? [...changes, { type: "text", text: shown }] : changes;
    const command = call?.command !== undefined && { text: shown, ...readEnd(output) };
    return [{ type: "call-ended", callId: id_, isError, content, ...(command && { command }) }];
  }

  /** Ends the calls of a run that has ended. */
  function stopCalls(runId: string): Update[] {
    const open = [...calls.keys()].filter((id) => id.startsWith(`${runId}/`));
    for (const id of open) calls.delete(id);
    return open.map((id) => ({ type: "call-stopped", callId: id }));
  }

  const said = (part: PartOf<"text"> | PartOf<"reasoning">): Update[] => {
    if (part.runId !== turn) {
      if (part.type === "text") delegations.hear(part.runId, part.text);
      return [];
    }
    const messageId = callId(turn, part.id);
    messages.add(messageId);
    return [{ type: part.type === "text" ? "said" : "thought", messageId, text: part.text }];
  };
  const takes: { [Type in RunStreamPart["type"]]?: (part: PartOf<Type>) => Update[] } = {
    "run-created": delegations.begin,
    "run-finished": ({ runId }) => [...stopCalls(runId), ...delegations.end(runId)],
    "reply-discarded": ({ runId, reason }) => {
      if (runId !== turn) return [];
      const text = `The reply is void and is requested again: ${plainText(reason)}`;
      const messageIds = [...messages];
      messages.clear();
      return [{ type: "discarded", messageIds, text }];
    },
    text: said,
    reasoning: said,
    "reply-finished": ({ runId }) => {
      if (runId === turn) messages.clear();
      return delegations.report(runId);
    },
    "tool-call": begin,
    "tool-output": ({ runId, id, text }) => [
      { type: "output", callId: callId(runId, id), text: plainText(text) },
    ],
    "tool-result": end,
    warning: ({ runId, message }) =>
      runId === turn ? [{ type: "notice", text: `warning: ${message}` }] : [],
  };
  return {
    startedBy: delegations.startedBy,
    take: (part) =>
      (takes[part.type] as ((part: RunStreamPart) => Update[]) | undefined)?.(part) ?? [],
  };
}

/** The sub-agents of a turn, and the calls that they work for. */
interface Delegations {
  begin(part: PartOf<"run-created">): Update[];
  end(runId: string): Update[];
  /** Returns the call that a run works for. */
  callOf(runId: string): string | undefined;
  /** Returns the active runs that a call started. */
  startedBy(call: string): string[];
  /** Hears a piece of what a run says. */
  hear(runId: string, text: string): void;
  /** Shows what a run has said in the call that it works for, and a line. */
  report(runId: string, line?: string): Update[];
}

function createDelegations(): Delegations {
  const all = new Map<string, { call: string; lines: string[]; said: string; isActive: boolean }>();
  const startedBy = (call: string): string[] =>
    [...all].flatMap(([id, one]) => (one.isActive && one.call === call ? [id] : []));

  function report(runId: string, line = ""): Update[] {
    const delegation = all.get(runId);
    if (delegation === undefined) return [];
    const lines = [...plainText(delegation.said).trim().split("\n"), line];
    delegation.said = "";
    const added = lines.filter((one) => one.trim() !== "");
    if (added.length === 0) return [];
    delegation.lines = [...delegation.lines, ...added].slice(-mostLines);
    const content: CallContent[] = [{ type: "text", text: delegation.lines.join("\n") }];
    return [{ type: "call-changed", callId: delegation.call, content }];
  }

  return {
    startedBy,
    report,
    callOf: (runId) => all.get(runId)?.call,
    begin({ runId, parentId, step }) {
      if (parentId === null || step === null) return [];
      const call = callId(parentId, callOfStep(step));
      all.set(runId, { call, lines: [], said: "", isActive: true });
      return [{ type: "call-changed", callId: call, canCancel: true }];
    },
    end(runId) {
      const delegation = all.get(runId);
      if (delegation === undefined) return [];
      delegation.isActive = false;
      const { call } = delegation;
      return startedBy(call).length > 0
        ? []
        : [{ type: "call-changed", callId: call, canCancel: false }];
    },
    hear(runId, text) {
      const delegation = all.get(runId);
      if (delegation !== undefined) delegation.said += text;
    },
  };
}

type PartOf<Type extends RunStreamPart["type"]> = RunStreamPart & { type: Type };

/** Returns the call of the step that requested a run. A call that requests several runs has a step for each below its own. */
export function callOfStep(step: string): string {
  return /^(.*tool\/\d+\/\d+)(?:\/\d+)?$/.exec(step)?.[1] ?? step;
}

/** The result of `Write` tells whether the file is new. */
function correctChange(content: CallContent, result: string): CallContent {
  if (content.type === "text") return content;
  return result.startsWith("Created ") ? { ...content, before: null } : content;
}

function readEnd(output: unknown): { end: CommandEnd; isCancelled: boolean } {
  const given: Readonly<Record<string, unknown>> =
    typeof output === "object" && output !== null ? { ...output } : {};
  const { exitCode, signal, endedBy } = given;
  const end = {
    exitCode: typeof exitCode === "number" ? exitCode : null,
    signal: typeof signal === "string" ? signal : null,
  };
  return { end, isCancelled: endedBy === "cancel" };
}

function cut(text: string): string {
  if (text.length <= longestResult) return text;
  const head = text.slice(0, longestResult).toWellFormed();
  return `${head}\n… ${text.length - longestResult} more characters`;
}

/** The plan that the agent wrote. */
function planOf(tool: string, input: unknown, isOwn: boolean): Update[] {
  if (tool !== "TodoWrite" || !isOwn || typeof input !== "object" || input === null) return [];
  const todos = "todos" in input && Array.isArray(input.todos) ? (input.todos as unknown[]) : [];
  return [{ type: "plan", entries: todos.flatMap(toEntry) }];
}

const statuses = ["pending", "in_progress", "completed"] as const;

function toEntry(todo: unknown): PlanEntry[] {
  if (typeof todo !== "object" || todo === null || !("content" in todo)) return [];
  const given: Readonly<Record<string, unknown>> = { ...todo };
  const status = statuses.find((one) => one === given["status"]) ?? "pending";
  return [{ content: String(todo.content), priority: "medium", status }];
}
