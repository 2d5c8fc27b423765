import type { SessionUpdate } from "@agentclientprotocol/sdk/experimental/v2";
import type { CallEnd } from "../editor/editor.ts";
import { createOutputGatherer } from "../view/gather-output.ts";

/** Shows the output of commands in terminals. Only a command with output has one; it has the id of the call. */
export interface V2Terminals {
  begin(callId: string, command: string): void;
  add(callId: string, text: string): void;
  /** Ends the terminal of a call and returns whether it has one. `command` is the command's result, if it has one. */
  end(callId: string, command?: CallEnd["command"]): boolean;
}

/** A command in progress. */
interface Shown {
  command: string;
  hasTerminal: boolean;
}

/** Creates the terminals of a session, initially none. */
export function createV2Terminals(send: (update: SessionUpdate) => void): V2Terminals {
  const commands = new Map<string, Shown>();
  const gathered = createOutputGatherer(show);

  function show(callId: string, text: string): void {
    const shown = commands.get(callId);
    if (shown === undefined) return;
    if (!shown.hasTerminal) {
      shown.hasTerminal = true;
      send({ sessionUpdate: "terminal_update", terminalId: callId, command: shown.command });
      const content = { type: "terminal", terminalId: callId } as const;
      send({ sessionUpdate: "tool_call_content_chunk", toolCallId: callId, content });
    }
    send({ sessionUpdate: "terminal_output_chunk", terminalId: callId, data: toBytes(text) });
  }

  return {
    begin: (callId, command) => void commands.set(callId, { command, hasTerminal: false }),
    add: (callId, text) => gathered.add(callId, text.replaceAll("\n", "\r\n")),
    end(callId, command) {
      gathered.flush(callId);
      const shown = commands.get(callId);
      commands.delete(callId);
      if (shown?.hasTerminal !== true) return false;
      const output = command === undefined ? {} : { output: { data: toBytes(command.text) } };
      const exitStatus = command?.end ?? {};
      send({ sessionUpdate: "terminal_update", terminalId: callId, ...output, exitStatus });
      return true;
    },
  };
}

function toBytes(text: string): string {
  return Buffer.from(text).toString("base64");
}
