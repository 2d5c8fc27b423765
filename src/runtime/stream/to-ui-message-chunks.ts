import type { RecordedResult } from "../../run/result.ts";
import type { RunStatus } from "../../run/run.ts";
import type { RunStreamPart } from "./stream-part.ts";
import type { UIMessageChunk, UIMessageMetadata } from "./ui-message-chunk.ts";

/** Converts the parts of the stream of one run, in order, to chunks of a UI message. */
export type ToUIMessageChunks = (part: RunStreamPart) => UIMessageChunk[];

type PartOf<Type extends RunStreamPart["type"]> = Extract<RunStreamPart, { type: Type }>;

/** Creates the conversion for the stream of the run `runId`. Its children become data of its message. */
export function createUIMessageConversion(runId: string): ToUIMessageChunks {
  const message = createMessage();
  const children = new Map<string, PartOf<"run-created">>();

  function convertChild(part: RunStreamPart): UIMessageChunk[] {
    if (part.type === "run-created") children.set(part.runId, part);
    const created = children.get(part.runId);
    if (created === undefined) return [];
    if (part.type !== "run-created" && part.type !== "run-finished") return [];
    const { agent, task, label } = created;
    const status: RunStatus = part.type === "run-created" ? "running" : part.result.status;
    const data = { runId: part.runId, agent, task, label, status };
    return [{ type: "data-run", id: part.runId, data }];
  }

  return (part) => (part.runId === runId ? message(part) : convertChild(part));
}

function createMessage(): ToUIMessageChunks {
  const step = createStep();
  const calls = createCalls();
  const asked = new Map<string, PartOf<"approval-requested">["request"]>();

  return (part) => {
    switch (part.type) {
      case "run-created":
        return [{ type: "start", messageId: part.runId }];
      case "text":
      case "reasoning":
        return step.write(part);
      case "tool-input":
      case "tool-call":
        return [...step.begin(part.id), ...calls.begin(part)];
      case "tool-output":
        return [];
      case "tool-result":
        return calls.end(part);
      case "reply-discarded":
        return [...step.end(), { type: "data-discarded", data: { reason: part.reason } }];
      case "attempt-failed":
        return [...step.end(), { type: "data-discarded", data: { reason: part.failure.message } }];
      case "message":
        return [{ type: "data-message", id: part.id, data: { from: part.from, text: part.text } }];
      case "warning":
        return [{ type: "data-warning", data: { message: part.message } }];
      case "approval-requested":
        asked.set(part.request.stepKey, part.request);
        return describeQuestion(part.request, null);
      case "approval-answered": {
        const request = asked.get(part.step);
        return request === undefined ? [] : describeQuestion(request, part.answer.decision);
      }
      case "reply-finished":
        return step.close();
      case "run-finished":
        return [
          ...step.close(),
          ...calls.endAll(part.result),
          ...step.end(),
          ...endOf(part.result),
        ];
    }
  };
}

/** Divides the message into steps, each a reply with the results of its calls, and a step into blocks. */
function createStep(): {
  /** Begins the step of the reply with the block or call `id`. */
  begin(id: string): UIMessageChunk[];
  write(part: PartOf<"text" | "reasoning">): UIMessageChunk[];
  /** Ends the open block. */
  close(): UIMessageChunk[];
  /** Ends the step. */
  end(): UIMessageChunk[];
} {
  let isOpen = false;
  let isReplied = false;
  let block: { type: "text" | "reasoning"; id: string } | undefined;

  function closeBlock(): UIMessageChunk[] {
    if (block === undefined) return [];
    const { type, id } = block;
    block = undefined;
    return [{ type: `${type}-end`, id }];
  }

  function end(): UIMessageChunk[] {
    const chunks = closeBlock();
    if (isOpen) chunks.push({ type: "finish-step" });
    isOpen = false;
    return chunks;
  }

  function begin(id: string): UIMessageChunk[] {
    const chunks = isReplied ? end() : [];
    isReplied = false;
    if (block !== undefined && block.id !== id) chunks.push(...closeBlock());
    if (!isOpen) chunks.push({ type: "start-step" });
    isOpen = true;
    return chunks;
  }

  return {
    begin,
    end,
    write({ type, id, text }) {
      const chunks = begin(id);
      if (block === undefined) {
        block = { type, id };
        chunks.push({ type: `${type}-start`, id });
      }
      return [...chunks, { type: `${type}-delta`, id, delta: text }];
    },
    close() {
      isReplied = true;
      return closeBlock();
    },
  };
}

/** Tracks the tool calls, because interfaces expect an end of each. */
function createCalls(): {
  begin(part: PartOf<"tool-input" | "tool-call">): UIMessageChunk[];
  end(part: PartOf<"tool-result">): UIMessageChunk[];
  /** Ends the calls that have no result: those that return the output, and those that the run's end interrupted. */
  endAll(result: RecordedResult): UIMessageChunk[];
} {
  /** The calls without a result; `false` while their arguments arrive. */
  const open = new Map<string, boolean>();

  return {
    begin(part) {
      const { id: toolCallId, tool: toolName } = part;
      const begun: UIMessageChunk[] = open.has(toolCallId)
        ? []
        : [{ type: "tool-input-start", toolCallId, toolName, dynamic: true }];
      open.set(toolCallId, part.type === "tool-call");
      if (part.type === "tool-call") {
        const { input } = part;
        return [{ type: "tool-input-available", toolCallId, toolName, input, dynamic: true }];
      }
      if (part.text === "") return begun;
      return [...begun, { type: "tool-input-delta", toolCallId, inputTextDelta: part.text }];
    },
    end({ id: toolCallId, text, isError, output }) {
      if (!open.delete(toolCallId)) return [];
      return isError
        ? [{ type: "tool-output-error", toolCallId, errorText: text, dynamic: true }]
        : [{ type: "tool-output-available", toolCallId, output: output ?? text, dynamic: true }];
    },
    endAll({ output }) {
      const last = [...open].findLast(([, isComplete]) => isComplete)?.[0];
      return [...open.keys()].map((toolCallId) =>
        toolCallId === last && output !== undefined
          ? { type: "tool-output-available", toolCallId, output, dynamic: true }
          : { type: "tool-output-error", toolCallId, errorText: interrupted, dynamic: true },
      );
    },
  };
}

const interrupted = "The run ended without a result of this call.";

function describeQuestion(
  { stepKey, tool, title, reason }: PartOf<"approval-requested">["request"],
  decision: "allow" | "deny" | null,
): UIMessageChunk[] {
  return [{ type: "data-approval", id: stepKey, data: { tool, title, reason, decision } }];
}

function endOf(result: RecordedResult): UIMessageChunk[] {
  const { runId, status, failure, output, runs, turns, toolCalls, usage, cost } = result;
  const figures = { runs, turns, toolCalls, usage, cost };
  const messageMetadata: UIMessageMetadata = { runId, status, ...figures };
  const data: UIMessageChunk[] =
    output === undefined ? [] : [{ type: "data-output", data: output }];
  const finishReason = status === "succeeded" ? "stop" : "error";
  const finish: UIMessageChunk = { type: "finish", finishReason, messageMetadata };
  if (failure === undefined) return [...data, finish];
  return status === "cancelled"
    ? [...data, { type: "abort", reason: failure.message }, finish]
    : [...data, { type: "error", errorText: failure.message }, finish];
}
