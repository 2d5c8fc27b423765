import type { LiveBlock, LiveReply } from "../../engine/live/live-reply.ts";
import type { ReplyPart } from "../../model/model.ts";
import { type CallIds, createCallIds } from "../../engine/tool-call/call-ids.ts";
import { isCallPart } from "./recorded-reply.ts";
import type { RunStreamPart } from "./stream-part.ts";

/** A part of a stream before it is assigned to a run. */
export type Part = RunStreamPart extends infer One
  ? One extends RunStreamPart
    ? Omit<One, "runId">
    : never
  : never;

/** Converts one reply to parts, piece by piece or at once. */
export interface ReplyProjection {
  /** Returns the parts that arrived since the last call. */
  grow(reply: LiveReply): Part[];
  /** Returns the parts that the complete reply adds. `isKnown`: a runner's calls are reported before its reply. */
  finish(parts: readonly ReplyPart[], isKnown: (id: string) => boolean): Part[];
  /** Voids the parts returned so far. */
  discard(reason: string): Part[];
}

/** A block of the reply, up to the part that was returned. */
interface Shown {
  id: string;
  type: LiveBlock["type"];
  text: string;
  /** Of a call. */
  tool: string | undefined;
}

/** Creates the projection of the reply of the step `step`. */
export function createReplyProjection(step: string, hasSchema: boolean): ReplyProjection {
  let shown: Shown[] = [];
  let blocks = new Map<LiveBlock, Shown>();
  let nameCall: CallIds | undefined;
  let current: LiveReply | undefined;
  let attempts = 1;

  /** Names the block or the call at `index`. Calls are named in order. */
  function nameBlock(index: number, tool: string | undefined): string {
    if (tool !== undefined) return (nameCall ??= createCallIds(step, hasSchema))(tool);
    return attempts === 1 ? `${step}/${index}` : `${step}/${attempts}/${index}`;
  }

  function begin(block: LiveBlock): Shown {
    const tool = block.type === "tool-input" ? block.tool : undefined;
    const id = nameBlock(shown.length, tool);
    const one: Shown = { id, type: block.type, text: "", tool };
    shown.push(one);
    return one;
  }

  function discard(reason: string): Part[] {
    if (shown.length === 0) return [];
    [shown, blocks, nameCall] = [[], new Map(), undefined];
    attempts += 1;
    return [{ type: "reply-discarded", step, reason }];
  }

  function growBlock(block: LiveBlock): Part[] {
    const known = blocks.get(block);
    const isCall = block.type === "tool-input";
    if (known === undefined && block.text === "" && !isCall) return [];
    if (known !== undefined && known.text.length === block.text.length) return [];
    const one = known ?? begin(block);
    blocks.set(block, one);
    const text = block.text.slice(one.text.length);
    one.text = block.text;
    return [pieceOf(one, step, text)];
  }

  return {
    discard,
    grow(reply) {
      const parts = reply === current ? [] : discard("the request was repeated");
      current = reply;
      return [...parts, ...reply.blocks.flatMap(growBlock)];
    },
    finish(reply, isKnown) {
      const visible = reply.filter((part) =>
        isCallPart(part) ? !isKnown(part.id) : part.text !== "",
      );
      const isWhole = shown.every((one, index) => fits(one, visible[index]));
      const parts = isWhole ? [] : discard("the complete reply is another one");
      for (const [index, part] of visible.entries()) {
        const known = shown[index];
        const id = known?.id ?? nameBlock(index, isCallPart(part) ? part.tool : undefined);
        const rest = restOf(part, { id, step, text: known?.text ?? "" });
        if (rest !== undefined) parts.push(rest);
      }
      return parts;
    },
  };
}

/** Returns the rest of a part of the complete reply, after the returned `text`. */
function restOf(
  part: ReplyPart,
  { id, step, text }: { id: string; step: string; text: string },
): Part | undefined {
  if (isCallPart(part)) {
    const input = part.type === "tool-call" ? part.input : part.text;
    return { type: "tool-call", id, tool: part.tool, input };
  }
  const rest = part.text.slice(text.length);
  return rest === "" ? undefined : { type: part.type, id, step, text: rest };
}

function pieceOf({ id, type, tool = "" }: Shown, step: string, text: string): Part {
  return type === "tool-input" ? { type, id, step, tool, text } : { type, id, step, text };
}

/** Reports whether the returned part of a block is the beginning of a part of the complete reply. */
function fits({ type, text, tool }: Shown, part: ReplyPart | undefined): boolean {
  if (part === undefined) return false;
  if (isCallPart(part)) return type === "tool-input" && part.tool === tool;
  return part.type === type && part.text.startsWith(text);
}
