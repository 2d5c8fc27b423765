import { useEffect, useState } from "react";
import { call, runPath } from "./api.ts";
import { addPart, type Block } from "./conversation.ts";
import type { RunStreamPart } from "./types.ts";

const partTypes: readonly RunStreamPart["type"][] = [
  "run-created",
  "text",
  "reasoning",
  "tool-call",
  "tool-result",
  "reply-discarded",
  "approval-requested",
  "approval-answered",
  "message",
  "warning",
  "attempt-failed",
  "run-finished",
];

/** The conversation of a run: as it is, or live while the run is active. */
export function useConversation(
  id: string,
  isActive: boolean,
): { blocks: readonly Block[]; error: Error | null } {
  const [blocks, setBlocks] = useState<readonly Block[]>([]);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    setError(null);
    return isActive ? follow(id, setBlocks) : read(id, setBlocks, setError);
  }, [id, isActive]);
  return { blocks, error };
}

type SetBlocks = (change: (blocks: readonly Block[]) => readonly Block[]) => void;

/** Pieces of replies arrive faster than anyone reads: they are shown once a frame. */
function follow(id: string, setBlocks: SetBlocks): () => void {
  const source = new EventSource(`/api/v1${runPath(id, "/stream")}`);
  let waiting: RunStreamPart[] = [];
  let isNew = true;
  let frame = 0;
  const show = (): void => {
    frame = 0;
    const [parts, isFirst] = [waiting, isNew];
    [waiting, isNew] = [[], false];
    setBlocks((blocks) =>
      parts.reduce((all, part) => addPart(all, part, id), isFirst ? [] : [...blocks]),
    );
  };
  // A new connection begins with the first part again.
  source.addEventListener("open", () => {
    waiting = [];
    isNew = true;
  });
  for (const type of partTypes) {
    source.addEventListener(type, ({ data }: MessageEvent<string>) => {
      const part = JSON.parse(data) as RunStreamPart;
      waiting.push(part);
      if (frame === 0) frame = requestAnimationFrame(show);
      if (part.type === "run-finished" && part.runId === id) source.close();
    });
  }
  return () => {
    cancelAnimationFrame(frame);
    source.close();
  };
}

function read(id: string, setBlocks: SetBlocks, setError: (error: Error) => void): () => void {
  let isWanted = true;
  const show = async (): Promise<void> => {
    const { parts } = await call<{ parts: RunStreamPart[] }>(runPath(id, "/transcript"));
    const blocks = parts.reduce<Block[]>((all, part) => addPart(all, part, id), []);
    if (isWanted) setBlocks(() => blocks);
  };
  show().catch((error: Error) => isWanted && setError(error));
  return () => {
    isWanted = false;
  };
}
