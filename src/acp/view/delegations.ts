import type { CallContent } from "../editor/call-view.ts";
import type { Update } from "../editor/editor.ts";
import { callId, callOfStep } from "./call-id.ts";
import type { PartOf } from "./part-of.ts";
import { plainText } from "../../host.ts";

/** The number of lines of a sub-agent's work that its call shows. */
const maxLines = 20;

/** The sub-agents of a turn and the calls that started them. */
export interface Delegations {
  begin(part: PartOf<"run-created">): Update[];
  end(runId: string): Update[];
  /** Returns the call that started a run. */
  callOf(runId: string): string | undefined;
  /** Returns the active runs that a call started. */
  startedBy(call: string): string[];
  /** Adds a piece to the text of a run. */
  addText(runId: string, text: string): void;
  /** Shows a run's text so far, and a line, in the call that started the run. */
  report(runId: string, line?: string): Update[];
}

/** Creates the list of a turn, initially empty. */
export function createDelegations(): Delegations {
  const all = new Map<
    string,
    { call: string; lines: string[]; lastText: string; isActive: boolean }
  >();
  const startedBy = (call: string): string[] =>
    [...all].flatMap(([id, one]) => (one.isActive && one.call === call ? [id] : []));

  function report(runId: string, line = ""): Update[] {
    const delegation = all.get(runId);
    if (delegation === undefined) return [];
    const lines = [...plainText(delegation.lastText).trim().split("\n"), line];
    delegation.lastText = "";
    const added = lines.filter((one) => one.trim() !== "");
    if (added.length === 0) return [];
    delegation.lines = [...delegation.lines, ...added].slice(-maxLines);
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
      all.set(runId, { call, lines: [], lastText: "", isActive: true });
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
    addText(runId, text) {
      const delegation = all.get(runId);
      if (delegation !== undefined) delegation.lastText += text;
    },
  };
}
