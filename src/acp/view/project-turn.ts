// The editor's view of a conversation's turns: calls, sub-agents, states, usage and earlier turns.

import type { Update } from "../editor/editor.ts";
import { callId } from "./call-id.ts";
import { createCallUpdates } from "./call-updates.ts";
import { createDelegations } from "./delegations.ts";
import type { PartOf } from "./part-of.ts";
import { readPlan } from "./plan.ts";
import { plainText, type RunStreamPart } from "../../host.ts";

/** Converts the output of a turn and its sub-agents to updates for the editor. */
export interface TurnProjection {
  take(part: RunStreamPart): Update[];
  /** Returns the active runs that a call started. */
  startedBy(callId: string): readonly string[];
}

/** Options of {@link createTurnProjection}. */
export interface TurnProjectionOptions {
  /** The id of the turn's run. */
  turn: string;
  /** The folder of the turn's runs. */
  cwd: string;
  /** Whether the turn was recorded earlier. Default false. */
  isPast?: boolean;
}

/** Creates the projection of a turn. */
export function createTurnProjection({
  turn,
  cwd,
  isPast = false,
}: TurnProjectionOptions): TurnProjection {
  const delegations = createDelegations();
  const calls = createCallUpdates(cwd, isPast);
  const reply = createReplyUpdates(turn);

  function begin(part: PartOf<"tool-call">): Update[] {
    const { runId, tool, input } = part;
    if (tool === "final_output") return [];
    const call = calls.begin(part, delegations.callOf(runId));
    const entries = tool === "TodoWrite" && runId === turn ? readPlan(input) : undefined;
    const plan: Update[] = entries === undefined ? [] : [{ type: "plan", entries }];
    return [{ type: "call", call }, ...plan, ...delegations.report(runId, `● ${call.title}`)];
  }

  const takes: { [Type in RunStreamPart["type"]]?: (part: PartOf<Type>) => Update[] } = {
    "run-created": delegations.begin,
    "run-finished": ({ runId }) => [...calls.stop(runId), ...delegations.end(runId)],
    text(part) {
      if (part.runId === turn) return reply.add(part);
      delegations.addText(part.runId, part.text);
      return [];
    },
    reasoning: (part) => (part.runId === turn ? reply.add(part) : []),
    "reply-discarded": ({ runId, reason }) => (runId === turn ? reply.discard(reason) : []),
    "reply-finished"({ runId }) {
      if (runId === turn) reply.finish();
      return delegations.report(runId);
    },
    "tool-call": begin,
    "tool-output": ({ runId, id, text }) => [
      { type: "output", callId: callId(runId, id), text: plainText(text) },
    ],
    "tool-result": calls.end,
    warning: ({ runId, message }) =>
      runId === turn ? [{ type: "notice", text: `warning: ${message}` }] : [],
  };
  return {
    startedBy: delegations.startedBy,
    take: (part) =>
      (takes[part.type] as ((part: RunStreamPart) => Update[]) | undefined)?.(part) ?? [],
  };
}

/** The agent's reply that is arriving. */
interface ReplyUpdates {
  add(part: PartOf<"text"> | PartOf<"reasoning">): Update[];
  /** Discards the reply's messages, because the request is repeated. */
  discard(reason: string): Update[];
  finish(): void;
}

function createReplyUpdates(turn: string): ReplyUpdates {
  const messages = new Set<string>();
  return {
    add({ type, id, text }) {
      const messageId = callId(turn, id);
      messages.add(messageId);
      return [{ type: type === "text" ? "text" : "thought", messageId, text }];
    },
    discard(reason) {
      const messageIds = [...messages];
      messages.clear();
      const text = `The reply is void and is requested again: ${plainText(reason)}`;
      return [{ type: "discarded", messageIds, text }];
    },
    finish: () => messages.clear(),
  };
}
