import type { PlanEntry, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import { viewCall } from "./call-view.ts";
import type { RunStreamPart } from "../host.ts";

/** Converts the output of a turn, with that of its sub-agents, to updates for the editor. */
export interface UpdateProjection {
  take(part: RunStreamPart): SessionUpdate[];
}

/** The longest result of a call that is shown, in characters. */
const longestResult = 20_000;
/** How many lines of a sub-agent's work are shown in its call. */
const mostLines = 20;

/** Names a call of any run of the turn. */
export function callId(runId: string, id: string): string {
  return `${runId}/${id}`;
}

/** Creates the projection of the turn `turn`, whose runs work in `cwd`. */
export function createUpdateProjection(turn: string, cwd: string): UpdateProjection {
  /** The calls that delegate, by the runs they started, and the lines shown of these runs. */
  const delegations = new Map<string, { call: string; lines: string[] }>();
  const changes = new Map<string, ToolCallContent[]>();

  /** Adds a line to the call that started a sub-agent. */
  function report(runId: string, line: string): SessionUpdate[] {
    const delegation = delegations.get(runId);
    if (delegation === undefined) return [];
    delegation.lines.push(line);
    const text = delegation.lines.slice(-mostLines).join("\n");
    return [
      {
        sessionUpdate: "tool_call_update",
        toolCallId: delegation.call,
        content: [textContent(text)],
      },
    ];
  }

  function begin(part: PartOf<"tool-call">): SessionUpdate[] {
    const { runId, id, tool, input } = part;
    if (tool === "final_output") return [];
    const view = viewCall(tool, input, cwd);
    const toolCallId = callId(runId, id);
    changes.set(toolCallId, view.content);
    const parent = delegations.get(runId)?.call;
    const call: SessionUpdate = {
      sessionUpdate: "tool_call",
      toolCallId,
      ...view,
      name: tool,
      status: "in_progress",
      rawInput: input,
      ...(parent !== undefined && { _meta: { parentToolCallId: parent } }),
    };
    return [call, ...planOf(tool, input, runId === turn), ...report(runId, `● ${view.title}`)];
  }

  function note({ runId, parentId, step }: PartOf<"run-created">): SessionUpdate[] {
    if (parentId === null || step === null) return [];
    delegations.set(runId, { call: callId(parentId, callOfStep(step)), lines: [] });
    return [];
  }

  const said = (part: PartOf<"text"> | PartOf<"reasoning">): SessionUpdate[] => {
    const kind = part.type === "text" ? "agent_message_chunk" : "agent_thought_chunk";
    return part.runId === turn ? [chunk(kind, part.text)] : [];
  };
  const takes: { [Type in RunStreamPart["type"]]?: (part: PartOf<Type>) => SessionUpdate[] } = {
    "run-created": note,
    text: said,
    reasoning: said,
    "tool-call": begin,
    "tool-result": (part) => [endCall(part, changes)],
    warning: ({ runId, message }) =>
      runId === turn ? [chunk("agent_thought_chunk", `\nwarning: ${message}\n`)] : [],
  };
  return {
    take: (part) =>
      (takes[part.type] as ((part: RunStreamPart) => SessionUpdate[]) | undefined)?.(part) ?? [],
  };
}

function endCall(
  { runId, id, text, isError }: PartOf<"tool-result">,
  changes: Map<string, ToolCallContent[]>,
): SessionUpdate {
  const toolCallId = callId(runId, id);
  const change = changes.get(toolCallId) ?? [];
  changes.delete(toolCallId);
  const content = isError || change.length === 0 ? [...change, textContent(cut(text))] : change;
  const status = isError ? "failed" : "completed";
  return { sessionUpdate: "tool_call_update", toolCallId, status, content };
}

type PartOf<Type extends RunStreamPart["type"]> = RunStreamPart & { type: Type };

/** A call that requests several runs has a step for each below its own. */
function callOfStep(step: string): string {
  return /^(.*tool\/\d+\/\d+)(?:\/\d+)?$/.exec(step)?.[1] ?? step;
}

/** An update with a text of the user, or of the agent. */
export function chunk(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  text: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text } };
}

function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

function cut(text: string): string {
  if (text.length <= longestResult) return text;
  return `${text.slice(0, longestResult)}\n… ${text.length - longestResult} more characters`;
}

/** The plan that the agent wrote. */
function planOf(tool: string, input: unknown, isOwn: boolean): SessionUpdate[] {
  if (tool !== "TodoWrite" || !isOwn || typeof input !== "object" || input === null) return [];
  const todos = "todos" in input && Array.isArray(input.todos) ? (input.todos as unknown[]) : [];
  return [{ sessionUpdate: "plan", entries: todos.flatMap(toEntry) }];
}

const statuses = ["pending", "in_progress", "completed"] as const;

function toEntry(todo: unknown): PlanEntry[] {
  if (typeof todo !== "object" || todo === null || !("content" in todo)) return [];
  const given: Readonly<Record<string, unknown>> = { ...todo };
  const status = statuses.find((one) => one === given["status"]) ?? "pending";
  return [{ content: String(todo.content), priority: "medium", status }];
}
