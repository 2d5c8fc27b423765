import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { CallEnd, ExitStatus } from "../editor/editor.ts";
import { createOutputGatherer } from "../view/gather-output.ts";
import { textContent } from "./v1-content.ts";

/** Shows the output of commands while they run. */
export interface V1Outputs {
  begin(callId: string): void;
  add(callId: string, text: string): void;
  /**
   * Shows the rest of the output. `command` is its result, if it has one. Returns the exit of the terminal that shows the result;
   * `undefined` when the call must show it.
   */
  end(callId: string, command?: CallEnd["command"]): TerminalExit | undefined;
}

/** The end of a terminal's command, as Zed reads it. */
interface TerminalExit {
  terminal_id: string;
  exit_code: number | null;
  signal: string | null;
}

/** A command in progress. */
interface Shown {
  /** The stored part of the output so far. */
  text: string;
  /** Whether `text` lacks some of the output. */
  isCut: boolean;
}

/** The maximum number of characters shown of a running command's output. */
const maxCharacters = 20_000;

/**
 * Creates the view of a session. `hasTerminals`: the editor shows the output of an agent's command in a terminal
 * (`_meta.terminal_output`, Zed's extension of the protocol). In other editors, the call shows the output as text.
 */
export function createV1Outputs(
  hasTerminals: boolean,
  send: (update: SessionUpdate) => void,
): V1Outputs {
  const commands = new Map<string, Shown>();
  const gathered = createOutputGatherer(show);

  function show(callId: string, piece: string): void {
    const shown = commands.get(callId);
    if (shown === undefined) return;
    const whole = shown.text + piece;
    shown.isCut ||= whole.length > maxCharacters;
    shown.text = whole.slice(-maxCharacters);
    if (hasTerminals) return send(toTerminalOutput(callId, piece));
    send({
      sessionUpdate: "tool_call_update",
      toolCallId: callId,
      content: [textContent(shown.isCut ? `…\n${shown.text}` : shown.text)],
    });
  }

  return {
    begin: (callId) => void commands.set(callId, { text: "", isCut: false }),
    add: gathered.add,
    end(callId, command) {
      gathered.flush(callId);
      const shown = commands.get(callId);
      commands.delete(callId);
      if (shown === undefined || command === undefined || !hasTerminals) return undefined;
      send(toTerminalOutput(callId, restOf(command.text, shown)));
      return toTerminalExit(callId, command.end);
    },
  };
}

function toTerminalOutput(id: string, data: string): SessionUpdate {
  const _meta = { terminal_output: { terminal_id: id, data } };
  return { sessionUpdate: "tool_call_update", toolCallId: id, _meta };
}

function toTerminalExit(id: string, { exitCode, signal }: ExitStatus): TerminalExit {
  return { terminal_id: id, exit_code: exitCode, signal };
}

/** Returns the rest of a command's result after the output that was shown. A terminal cannot replace its content. */
function restOf(result: string, { text, isCut }: Shown): string {
  const known = text.trimEnd();
  if (isCut || !result.startsWith(known)) return `\n${result.slice(-2000)}`;
  const rest = result.slice(known.length);
  const shown = text.slice(known.length);
  return rest.startsWith(shown) ? rest.slice(shown.length) : rest;
}
