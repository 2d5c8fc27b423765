import type { SessionUpdate, ToolCall, ToolCallContent } from "@agentclientprotocol/sdk";
import type { CallContent, CallView } from "../editor/call-view.ts";
import type { Command, CommandEnd, Update } from "../editor/editor.ts";
import { createOutputGatherer } from "../view/gather-output.ts";
import { toV1Options } from "./v1-options.ts";

/** Converts the updates of one session. */
export interface V1Updates {
  take(update: Update): void;
}

/** A command that the editor shows. */
interface Shown {
  /** The output so far, as far as it is kept. */
  text: string;
  /** Some of the output is not in `text`. */
  isCut: boolean;
}

/** The most characters of the output of a command that are shown while it runs. */
const mostCharacters = 20_000;

/**
 * Creates the conversion. `hasTerminals`: the editor shows the output of an agent's own command in a terminal (`_meta.terminal_output`,
 * an extension of the protocol that Zed has). In other editors the call shows the output as text.
 */
export function createV1Updates(
  hasTerminals: boolean,
  tell: (update: SessionUpdate) => void,
): V1Updates {
  const commands = new Map<string, Shown>();
  const outputs = createOutputGatherer(showOutput);

  function showOutput(callId: string, piece: string): void {
    const shown = commands.get(callId);
    if (shown === undefined) return;
    const whole = shown.text + piece;
    shown.isCut ||= whole.length > mostCharacters;
    shown.text = whole.slice(-mostCharacters);
    if (hasTerminals) return tell(toTerminalOutput(callId, piece));
    tell({
      sessionUpdate: "tool_call_update",
      toolCallId: callId,
      content: [textContent(shown.isCut ? `…\n${shown.text}` : shown.text)],
    });
  }

  function begin(call: CallView): void {
    const isCommand = call.command !== undefined;
    if (isCommand) commands.set(call.id, { text: "", isCut: false });
    tell({
      sessionUpdate: "tool_call",
      ...toV1Call(call),
      name: call.tool,
      status: "in_progress",
      ...(isCommand && hasTerminals && { content: [{ type: "terminal", terminalId: call.id }] }),
      ...metaOf(call, isCommand && hasTerminals),
    });
  }

  function end({ callId, isError, content, command }: Update & { type: "call-ended" }): void {
    outputs.flush(callId);
    const shown = commands.get(callId);
    commands.delete(callId);
    const status = isError ? "failed" : "completed";
    const update = { sessionUpdate: "tool_call_update", toolCallId: callId, status } as const;
    if (shown === undefined || command === undefined || !hasTerminals) {
      return tell({ ...update, content: content.map(toV1Content) });
    }
    tell(toTerminalOutput(callId, restOf(command.text, shown)));
    tell({ ...update, _meta: { terminal_exit: toTerminalExit(callId, command.end) } });
  }

  return {
    take(update) {
      switch (update.type) {
        case "prompt":
          return update.blocks === undefined
            ? tell(chunk("user_message_chunk", update.text))
            : undefined;
        case "said":
          return tell(chunk("agent_message_chunk", update.text));
        case "thought":
          return tell(chunk("agent_thought_chunk", update.text));
        case "discarded":
        case "notice":
          return tell(chunk("agent_thought_chunk", `\n${update.text}\n`));
        case "call":
          return begin(update.call);
        case "call-changed": {
          const { callId: toolCallId, content } = update;
          if (content === undefined) return;
          const shown = content.map(toV1Content);
          return tell({ sessionUpdate: "tool_call_update", toolCallId, content: shown });
        }
        case "output":
          return outputs.add(update.callId, update.text);
        case "call-ended":
          return end(update);
        case "call-stopped": {
          const { callId: toolCallId } = update;
          outputs.flush(toolCallId);
          commands.delete(toolCallId);
          return tell({ sessionUpdate: "tool_call_update", toolCallId, status: "failed" });
        }
        case "plan":
          return tell({ sessionUpdate: "plan", entries: [...update.entries] });
        case "commands":
          return tell({
            sessionUpdate: "available_commands_update",
            availableCommands: update.commands.map(toV1Command),
          });
        case "choices": {
          const configOptions = toV1Options(update.choices);
          return tell({ sessionUpdate: "config_option_update", configOptions });
        }
        case "title": {
          const { title, updatedAt } = update;
          return tell({ sessionUpdate: "session_info_update", title, updatedAt });
        }
        case "usage": {
          const { used, size, cost } = update;
          const spent = cost === null ? {} : { cost: { amount: cost, currency: "USD" } };
          return tell({ sessionUpdate: "usage_update", used, size, ...spent });
        }
        case "state":
          // Version 1 says the end of a turn in the response to its prompt.
          return update.state === "idle" && update.end?.reason === "max_turn_requests"
            ? tell(chunk("agent_message_chunk", `\n${update.end.message}`))
            : undefined;
      }
    },
  };
}

/** Describes a call, without its state. */
export function toV1Call({ id, title, kind, paths, input, content }: CallView): ToolCall {
  return {
    toolCallId: id,
    title,
    kind,
    locations: paths.map((path) => ({ path })),
    rawInput: input,
    content: content.map(toV1Content),
  };
}

function toV1Content(content: CallContent): ToolCallContent {
  if (content.type === "text") return textContent(content.text);
  const { path, before = null, after } = content;
  return { type: "diff", path, oldText: before, newText: after };
}

function toV1Command({ name, description, hint }: Command) {
  return { name, description, input: hint === undefined ? null : { hint } };
}

/** What the protocol has no field for. */
function metaOf(
  { id, parentId }: CallView,
  isTerminal: boolean,
): { _meta?: Record<string, unknown> } {
  const parent = parentId === undefined ? {} : { parentToolCallId: parentId };
  const terminal = isTerminal ? { terminal_info: { terminal_id: id } } : {};
  const meta = { ...parent, ...terminal };
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}

function toTerminalOutput(id: string, data: string): SessionUpdate {
  const _meta = { terminal_output: { terminal_id: id, data } };
  return { sessionUpdate: "tool_call_update", toolCallId: id, _meta };
}

function toTerminalExit(id: string, { exitCode, signal }: CommandEnd): object {
  return { terminal_id: id, exit_code: exitCode, signal };
}

/** What the result of a command has after the output that was shown. A terminal cannot replace what it shows. */
function restOf(result: string, { text, isCut }: Shown): string {
  const known = text.trimEnd();
  if (isCut || !result.startsWith(known)) return `\n${result.slice(-2000)}`;
  const rest = result.slice(known.length);
  const shown = text.slice(known.length);
  return rest.startsWith(shown) ? rest.slice(shown.length) : rest;
}

function chunk(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  text: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text } };
}

function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}
