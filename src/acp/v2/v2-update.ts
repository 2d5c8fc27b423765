import type {
  ContentBlock,
  IdleStateUpdate,
  SessionUpdate,
  StateUpdate,
} from "@agentclientprotocol/sdk/experimental/v2";
import {
  type ConversationUpdate,
  isCallUpdate,
  type TurnOutcome,
  type Update,
} from "../editor/editor.ts";
import { toFacts } from "../view/session-facts.ts";
import { createV2Calls } from "./v2-calls.ts";
import { toV2Commands, toV2Options } from "./v2-options.ts";

/** Converts the updates of one session. */
export interface V2Updates {
  take(update: Update): void;
}

/** Creates the conversion. */
export function createV2Updates(send: (update: SessionUpdate) => void): V2Updates {
  const calls = createV2Calls(send);
  return {
    take(update) {
      if (isCallUpdate(update)) calls.take(update);
      else toV2Updates(update).forEach(send);
    },
  };
}

function toV2Updates(update: ConversationUpdate): SessionUpdate[] {
  switch (update.type) {
    case "prompt": {
      const { messageId, text, blocks } = update;
      const content = (blocks as ContentBlock[] | undefined) ?? [{ type: "text", text }];
      return [{ sessionUpdate: "user_message", messageId, content }];
    }
    case "text":
      return [{ sessionUpdate: "agent_message_chunk", ...toPiece(update) }];
    case "thought":
      return [{ sessionUpdate: "agent_thought_chunk", ...toPiece(update) }];
    case "discarded":
      return [...update.messageIds.flatMap(toEmptyMessages), notice("warning", update.text)];
    case "notice":
      return [notice("info", update.text)];
    case "plan": {
      const plan = { type: "items" as const, planId: "todos", entries: [...update.entries] };
      return [{ sessionUpdate: "plan_update", plan }];
    }
    case "commands": {
      const availableCommands = toV2Commands(update.commands);
      return [{ sessionUpdate: "available_commands_update", availableCommands }];
    }
    case "choices": {
      const configOptions = toV2Options(update.choices);
      return [{ sessionUpdate: "config_option_update", configOptions }];
    }
    case "title":
    case "usage":
      return [toFacts(update)];
    case "state":
      return [{ sessionUpdate: "state_update", ...toV2State(update) }];
  }
}

function toPiece({ messageId, text }: { messageId: string; text: string }) {
  return { messageId, content: { type: "text" as const, text } };
}

/** Returns updates that empty a message. It may be a text or a thought, so both are emptied. */
function toEmptyMessages(messageId: string): SessionUpdate[] {
  return [
    { sessionUpdate: "agent_message", messageId, content: [] },
    { sessionUpdate: "agent_thought", messageId, content: [] },
  ];
}

function notice(severity: "info" | "warning", title: string): SessionUpdate {
  return { sessionUpdate: "notice", severity, title };
}

function toV2State(update: Update & { type: "state" }): StateUpdate {
  if (update.state === "idle") return { state: "idle", ...toStop(update.end) };
  return update.state === "running" ? { state: "running" } : { state: "requires_action" };
}

function toStop(end: TurnOutcome | undefined): IdleStateUpdate {
  switch (end?.reason) {
    case undefined:
      return {};
    case "error":
      return { stopReason: "error", error: end.error };
    case "cancelled":
      return { stopReason: "cancelled" };
    case "end_turn":
      return { stopReason: "end_turn" };
    case "max_turn_requests":
      return { stopReason: "max_turn_requests" };
  }
}
