import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ModelRequest, ReplyPiece } from "../model.ts";
import { toolNamed } from "../wire-name.ts";

/** Returns the piece of the reply in a stream part; `undefined` for a part without one. */
export type ReadPiece = (part: LanguageModelV4StreamPart) => ReplyPiece | undefined;

/** Creates the reader for the stream that answers `request`. */
export function createPieceReader({ tools }: Pick<ModelRequest, "tools">): ReadPiece {
  /** The tools of calls by call id, because only the first part of a call names its tool. */
  const called = new Map<string, string>();
  return (part) => {
    if (part.type === "text-delta") return { type: "text", id: part.id, text: part.delta };
    if (part.type === "reasoning-delta") {
      return { type: "reasoning", id: part.id, text: part.delta };
    }
    if (part.type === "tool-input-start") {
      const tool = toolNamed(tools, part.toolName);
      called.set(part.id, tool);
      return { type: "tool-input", id: part.id, tool, text: "" };
    }
    const tool = part.type === "tool-input-delta" ? called.get(part.id) : undefined;
    if (part.type !== "tool-input-delta" || tool === undefined) return undefined;
    return { type: "tool-input", id: part.id, tool, text: part.delta };
  };
}
