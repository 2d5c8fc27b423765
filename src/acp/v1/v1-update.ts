import type { SessionUpdate } from "@agentclientprotocol/sdk";
import {
  type Command,
  type ConversationUpdate,
  isCallUpdate,
  type Update,
} from "../editor/editor.ts";
import { toFacts } from "../view/session-facts.ts";
import { createV1Calls } from "./v1-calls.ts";
import { toV1Options } from "./v1-options.ts";

/** Converts the updates of one session. */
export interface V1Updates {
  take(update: Update): void;
}

/** Creates the conversion. `hasTerminals`: the editor shows the output of commands in terminals (see `createV1Outputs`). */
export function createV1Updates(
  hasTerminals: boolean,
  send: (update: SessionUpdate) => void,
): V1Updates {
  const calls = createV1Calls(hasTerminals, send);
  return {
    take(update) {
      if (isCallUpdate(update)) calls.take(update);
      else toV1Updates(update).forEach(send);
    },
  };
}

function toV1Updates(update: ConversationUpdate): SessionUpdate[] {
  switch (update.type) {
    case "prompt":
      // The editor already shows a prompt that it sent itself.
      return update.blocks === undefined ? [chunk("user_message_chunk", update.text)] : [];
    case "text":
      return [chunk("agent_message_chunk", update.text)];
    case "thought":
      return [chunk("agent_thought_chunk", update.text)];
    case "discarded":
    case "notice":
      return [chunk("agent_thought_chunk", `\n${update.text}\n`)];
    case "plan":
      return [{ sessionUpdate: "plan", entries: [...update.entries] }];
    case "commands": {
      const availableCommands = update.commands.map(toV1Command);
      return [{ sessionUpdate: "available_commands_update", availableCommands }];
    }
    case "choices": {
      const configOptions = toV1Options(update.choices);
      return [{ sessionUpdate: "config_option_update", configOptions }];
    }
    case "title":
    case "usage":
      return [toFacts(update)];
    case "state":
      // Version 1 reports the end of a turn in the response to its prompt.
      return update.state === "idle" && update.end?.reason === "max_turn_requests"
        ? [chunk("agent_message_chunk", `\n${update.end.message}`)]
        : [];
  }
}

function toV1Command({ name, description, hint }: Command) {
  return { name, description, input: hint === undefined ? null : { hint } };
}

function chunk(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  text: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text } };
}
