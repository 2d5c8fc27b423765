import { type CallContent, type CallView, viewCall } from "../editor/call-view.ts";
import type { CallEnd, ExitStatus, Update } from "../editor/editor.ts";
import { callId } from "./call-id.ts";
import type { PartOf } from "./part-of.ts";
import { plainText } from "../../host.ts";

/** Converts the calls of a turn, from their arguments to their results. */
export interface CallUpdates {
  /** Returns the view of a call. `parentId` is the call that started the sub-agent that makes it. */
  begin(part: PartOf<"tool-call">, parentId: string | undefined): CallView;
  end(part: PartOf<"tool-result">): Update[];
  /** Stops the unfinished calls of a run that has ended. */
  stop(runId: string): Update[];
}

/** The maximum length of a call's shown result, in characters. */
const maxResultLength = 20_000;

/** Creates the conversion for runs in the folder `cwd`. `isPast`: the turn was recorded earlier. */
export function createCallUpdates(cwd: string, isPast: boolean): CallUpdates {
  const calls = new Map<string, CallView>();
  const take = (id: string): CallView | undefined => {
    const call = calls.get(id);
    calls.delete(id);
    return call;
  };
  return {
    begin({ runId, id, tool, input }, parentId) {
      const call = viewCall({ id: callId(runId, id), tool, input, parentId }, cwd, isPast);
      calls.set(call.id, call);
      return call;
    },
    end({ runId, id, ...result }) {
      const ended = callId(runId, id);
      const { isError } = result;
      return [{ type: "call-ended", callId: ended, isError, ...viewResult(take(ended), result) }];
    },
    stop(runId) {
      const open = [...calls.keys()].filter((id) => id.startsWith(`${runId}/`));
      open.forEach(take);
      return open.map((id) => ({ type: "call-stopped", callId: id }));
    },
  };
}

function viewResult(
  call: CallView | undefined,
  { text, isError, output }: Pick<PartOf<"tool-result">, "text" | "isError" | "output">,
): CallEnd {
  const shown = plainText(cut(text));
  const changes = (call?.content ?? []).map((one) => correctChange(one, text));
  const content: CallContent[] =
    isError || changes.length === 0 ? [...changes, { type: "text", text: shown }] : changes;
  if (call?.command === undefined) return { content };
  return { content, command: { text: shown, ...readEnd(output) } };
}

/** Corrects the change of `Write`, whose result tells whether the file is new. */
function correctChange(content: CallContent, result: string): CallContent {
  if (content.type === "text") return content;
  return result.startsWith("Created ") ? { ...content, before: null } : content;
}

function readEnd(output: unknown): { end: ExitStatus; isCancelled: boolean } {
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
  if (text.length <= maxResultLength) return text;
  const head = text.slice(0, maxResultLength).toWellFormed();
  return `${head}\n… ${text.length - maxResultLength} more characters`;
}
