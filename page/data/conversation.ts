/** The conversation of a run, built from the parts of its stream. */

import { describeApproval } from "../../src/run/permission.ts";
import type { StreamPartOf, RunStreamPart } from "./types.ts";

/** An element of a conversation. The id of a call is the key of its step. */
export type Block = { id: string } & (
  | { kind: "task"; agent: string; text: string }
  | { kind: "text" | "reasoning"; text: string; step: string }
  | {
      kind: "call";
      tool: string;
      input: StreamPartOf<"tool-call">["input"];
      /** The end of its output so far; "" after the result has arrived. */
      output: string;
      result: { text: string; isError: boolean } | null;
    }
  | { kind: "message"; from: string; text: string }
  | { kind: "note"; text: string; isProblem: boolean }
);

type CallBlock = Extract<Block, { kind: "call" }>;

const begun = { output: "", result: null };
/** The number of characters shown of an active call's output. */
const maxOutput = 10_000;

/** Adds a part of the run `runId` to the blocks; ignores parts of other runs. Returns new blocks and leaves the old ones unchanged. */
export function addPart(blocks: readonly Block[], part: RunStreamPart, runId: string): Block[] {
  const id = String(blocks.length);
  const add = (block: Block): Block[] => [...blocks, block];
  if (part.runId !== runId) return [...blocks];
  switch (part.type) {
    case "run-created":
      return add({ id, kind: "task", agent: part.agent, text: part.task });
    case "text":
    case "reasoning":
      return addPiece(blocks, part);
    case "tool-call":
      return add({ id: part.id, kind: "call", tool: part.tool, input: part.input, ...begun });
    case "tool-output":
      return changeCall(blocks, part.id, ({ output }) => ({
        output: `${output}${part.text}`.slice(-maxOutput),
      }));
    case "tool-result":
      return changeCall(blocks, part.id, () => ({ output: "", result: part }));
    case "reply-discarded":
      return [
        ...blocks.filter((block) => !("step" in block) || block.step !== part.step),
        { id, kind: "note", text: `The request is repeated: ${part.reason}`, isProblem: false },
      ];
    case "message":
      return add({ id, kind: "message", from: part.from, text: part.text });
    case "tool-input":
    case "reply-finished":
      return [...blocks];
    case "approval-requested":
    case "approval-answered":
    case "warning":
    case "attempt-failed":
    case "run-finished":
      return add({ id, kind: "note", ...describe(part) });
  }
}

function changeCall(
  blocks: readonly Block[],
  id: string,
  change: (call: CallBlock) => Partial<CallBlock>,
): Block[] {
  return blocks.map((block) =>
    block.kind === "call" && block.id === id ? { ...block, ...change(block) } : block,
  );
}

function addPiece(blocks: readonly Block[], part: StreamPartOf<"text" | "reasoning">): Block[] {
  const id = `${part.type} ${part.id}`;
  const at = blocks.findLastIndex((block) => block.id === id);
  const before = blocks[at];
  if (before === undefined || !("step" in before)) {
    return [...blocks, { id, kind: part.type, text: part.text, step: part.step }];
  }
  return blocks.with(at, { ...before, text: before.text + part.text });
}

type Noted = StreamPartOf<
  "approval-requested" | "approval-answered" | "warning" | "attempt-failed" | "run-finished"
>;

function describe(part: Noted): { text: string; isProblem: boolean } {
  switch (part.type) {
    case "approval-requested":
      return { text: `Asks: ${part.request.title}`, isProblem: false };
    case "approval-answered":
      return { text: `Answered: ${describeApproval(part.answer)}`, isProblem: false };
    case "warning":
      return { text: `Warning: ${part.message}`, isProblem: true };
    case "attempt-failed": {
      const text = `Attempt ${part.attempt} failed: ${part.failure.message}`;
      return { text, isProblem: true };
    }
    case "run-finished": {
      const { status, failure } = part.result;
      const text = failure === undefined ? `Ended: ${status}` : `${status}: ${failure.message}`;
      return { text, isProblem: failure !== undefined };
    }
  }
}

/** Returns the conversation as Markdown. */
export function toMarkdown(blocks: readonly Block[]): string {
  return `${blocks.map(blockToMarkdown).join("\n\n")}\n`;
}

function blockToMarkdown(block: Block): string {
  switch (block.kind) {
    case "task":
      return `## Task for ${block.agent}\n\n${block.text}`;
    case "text":
      return block.text;
    case "reasoning":
      return block.text.replaceAll(/^/gm, "> ");
    case "call": {
      const result = block.result === null ? "" : `\n\n${fence(block.result.text)}`;
      return `**${block.tool}**\n\n${fence(JSON.stringify(block.input, null, 2))}${result}`;
    }
    case "message":
      return `**Message from ${block.from}**\n\n${block.text}`;
    case "note":
      return `_${block.text}_`;
  }
}

/** Returns a fence that is longer than any fence in the text. */
function fence(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}\n${text}\n${ticks}`;
}
