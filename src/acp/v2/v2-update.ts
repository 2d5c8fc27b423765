import type {
  AvailableCommand,
  ContentBlock,
  DiffChange,
  IdleStateUpdate,
  SessionConfigOption,
  SessionUpdate,
  StateUpdate,
  ToolCallContent,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk/experimental/v2";
import type { CallContent, CallView } from "../editor/call-view.ts";
import type { Choice } from "../editor/choice.ts";
import type { CallEnd, Command, TurnEnd, Update } from "../editor/editor.ts";
import { createOutputGatherer } from "../view/gather-output.ts";
import { toGitPatch } from "./git-patch.ts";

/** Converts the updates of one session. */
export interface V2Updates {
  take(update: Update): void;
}

/** A command in progress. */
interface Shown {
  command: string;
  /** The editor shows its output in a terminal. */
  hasTerminal: boolean;
}

/** Creates the conversion. Commands that write something have a terminal with the id of their call, which shows the output. */
export function createV2Updates(tell: (update: SessionUpdate) => void): V2Updates {
  const commands = new Map<string, Shown>();
  const outputs = createOutputGatherer(showOutput);

  function showOutput(callId: string, text: string): void {
    const shown = commands.get(callId);
    if (shown === undefined) return;
    if (!shown.hasTerminal) {
      shown.hasTerminal = true;
      tell({ sessionUpdate: "terminal_update", terminalId: callId, command: shown.command });
      const content = { type: "terminal", terminalId: callId } as const;
      tell({ sessionUpdate: "tool_call_content_chunk", toolCallId: callId, content });
    }
    tell({ sessionUpdate: "terminal_output_chunk", terminalId: callId, data: toBytes(text) });
  }

  /** Ends the terminal of a call, if it has one. */
  function endTerminal(callId: string, command: CallEnd["command"]): boolean {
    outputs.flush(callId);
    const shown = commands.get(callId);
    commands.delete(callId);
    if (shown?.hasTerminal !== true) return false;
    const output = command === undefined ? {} : { output: { data: toBytes(command.text) } };
    const exitStatus = command?.end ?? {};
    tell({ sessionUpdate: "terminal_update", terminalId: callId, ...output, exitStatus });
    return true;
  }

  function begin(call: CallView): void {
    const { id, command } = call;
    if (command !== undefined) commands.set(id, { command, hasTerminal: false });
    tell({ sessionUpdate: "tool_call_update", ...toV2Call(call), status: "in_progress" });
  }

  function end({ callId, isError, content, command }: Update & { type: "call-ended" }): void {
    const isShown = endTerminal(callId, command);
    tell({
      sessionUpdate: "tool_call_update",
      toolCallId: callId,
      status: command?.isCancelled === true ? "cancelled" : isError ? "failed" : "completed",
      ...(!isShown && { content: content.map(toV2Content) }),
    });
  }

  return {
    take(update) {
      switch (update.type) {
        case "prompt": {
          const { messageId, text, blocks } = update;
          const content = (blocks as ContentBlock[] | undefined) ?? [{ type: "text", text }];
          return tell({ sessionUpdate: "user_message", messageId, content });
        }
        case "said":
        case "thought": {
          const { type, messageId, text } = update;
          const chunk = { messageId, content: { type: "text" as const, text } };
          return type === "said"
            ? tell({ sessionUpdate: "agent_message_chunk", ...chunk })
            : tell({ sessionUpdate: "agent_thought_chunk", ...chunk });
        }
        case "discarded":
          for (const messageId of update.messageIds) {
            tell({ sessionUpdate: "agent_message", messageId, content: [] });
            tell({ sessionUpdate: "agent_thought", messageId, content: [] });
          }
          return tell({ sessionUpdate: "notice", severity: "warning", title: update.text });
        case "notice":
          return tell({ sessionUpdate: "notice", severity: "info", title: update.text });
        case "call":
          return begin(update.call);
        case "call-changed": {
          const { callId: toolCallId, content, canCancel } = update;
          const capabilities = canCancel === true ? { cancel: {} } : null;
          return tell({
            sessionUpdate: "tool_call_update",
            toolCallId,
            ...(content !== undefined && { content: content.map(toV2Content) }),
            ...(canCancel !== undefined && { capabilities }),
          });
        }
        case "output":
          return outputs.add(update.callId, update.text.replaceAll("\n", "\r\n"));
        case "call-ended":
          return end(update);
        case "call-stopped": {
          endTerminal(update.callId, undefined);
          const { callId: toolCallId } = update;
          return tell({ sessionUpdate: "tool_call_update", toolCallId, status: "cancelled" });
        }
        case "plan": {
          const entries = [...update.entries];
          const plan = { type: "items" as const, planId: "todos", entries };
          return tell({ sessionUpdate: "plan_update", plan });
        }
        case "commands": {
          const availableCommands = toV2Commands(update.commands);
          return tell({ sessionUpdate: "available_commands_update", availableCommands });
        }
        case "choices": {
          const configOptions = toV2Options(update.choices);
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
          return tell({ sessionUpdate: "state_update", ...toV2State(update) });
      }
    },
  };
}

/** Describes a call, without its state. */
export function toV2Call(call: CallView): ToolCallUpdate {
  const { id, tool, title, kind, paths, input, content, parentId } = call;
  return {
    toolCallId: id,
    name: tool,
    title,
    kind,
    locations: paths.map((path) => ({ path })),
    rawInput: input,
    content: content.map(toV2Content),
    ...(parentId !== undefined && { _meta: { parentToolCallId: parentId } }),
  };
}

function toV2Content(content: CallContent): ToolCallContent {
  if (content.type === "text") {
    return { type: "content", content: { type: "text", text: content.text } };
  }
  const { path, before } = content;
  const change: DiffChange =
    before === null ? { operation: "add", path } : { operation: "modify", path };
  const patch = toGitPatch(content);
  return {
    type: "diff",
    changes: [change],
    ...(patch !== undefined && { patch: { format: "git_patch", text: patch } }),
  };
}

/** Converts the commands of a session. */
export function toV2Commands(commands: readonly Command[]): AvailableCommand[] {
  return commands.map(({ name, description, hint }) => ({
    type: "command",
    name,
    description,
    input: hint === undefined ? null : { type: "text", hint },
  }));
}

/** Converts the settings of a session. */
export function toV2Options(choices: readonly Choice[]): SessionConfigOption[] {
  return choices.map(({ id, name, category, current, values }) => ({
    type: "select",
    configId: id,
    name,
    ...(category !== undefined && { category }),
    currentValue: current,
    options: values.map(({ value, name: shown, description = null }) => ({
      value,
      name: shown,
      description,
    })),
  }));
}

function toV2State(update: Update & { type: "state" }): StateUpdate {
  if (update.state === "idle") return { state: "idle", ...toStop(update.end) };
  return update.state === "running" ? { state: "running" } : { state: "requires_action" };
}

function toStop(end: TurnEnd | undefined): IdleStateUpdate {
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

function toBytes(text: string): string {
  return Buffer.from(text).toString("base64");
}
