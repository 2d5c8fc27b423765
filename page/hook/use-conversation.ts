import { useEffect, useState } from "react";
import { api } from "../data/api.ts";
import { addPart, type Block } from "../data/conversation.ts";
import type { RunStreamPart, ServedRun } from "../data/types.ts";

/** The conversation of a run, live while the run is active. Reads nothing before the run is known. */
export function useConversation(
  id: string,
  run: Pick<ServedRun, "result" | "isLeft"> | undefined,
): { blocks: readonly Block[]; isRead: boolean; error: Error | null } {
  const [blocks, setBlocks] = useState<readonly Block[] | null>(null);
  const [error, setError] = useState<Error | null>(null);
  // After its process was gone, a run may have ended without ever being shown as active again.
  const state =
    run === undefined ? "unknown" : run.result !== null ? "ended" : run.isLeft ? "left" : "active";
  useEffect(() => {
    setError(null);
    if (state === "unknown") return undefined;
    return state === "active" ? follow(id, setBlocks) : read(id, setBlocks, setError);
  }, [id, state]);
  return { blocks: blocks ?? none, isRead: blocks !== null, error };
}

const none: readonly Block[] = [];

type SetBlocks = (change: (blocks: readonly Block[] | null) => readonly Block[]) => void;

/** The pause before a broken stream is read again, in milliseconds. */
const pauseMs = 1000;

/** Shows pieces of replies once a frame, because they arrive faster than users can read. */
function follow(id: string, setBlocks: SetBlocks): () => void {
  const leaving = new AbortController();
  let waiting: RunStreamPart[] = [];
  let isNew = true;
  let frame = 0;
  const show = (): void => {
    frame = 0;
    const [parts, isFirst] = [waiting, isNew];
    [waiting, isNew] = [[], false];
    setBlocks((blocks) =>
      parts.reduce((all, part) => addPart(all, part, id), isFirst ? [] : [...(blocks ?? none)]),
    );
  };
  const listen = async (): Promise<void> => {
    for await (const part of api.streamRun(id, {}, { signal: leaving.signal })) {
      waiting.push(part);
      if (frame === 0) frame = requestAnimationFrame(show);
    }
  };
  const readOn = (): void => {
    // A new stream starts again with the first part.
    [waiting, isNew] = [[], true];
    listen().catch(() => {
      if (!leaving.signal.aborted) setTimeout(readOn, pauseMs);
    });
  };
  readOn();
  return () => {
    cancelAnimationFrame(frame);
    leaving.abort();
  };
}

function read(id: string, setBlocks: SetBlocks, setError: (error: Error) => void): () => void {
  const leaving = new AbortController();
  const { signal } = leaving;
  const show = async (): Promise<void> => {
    const { parts } = await api.readTranscript(id, { signal });
    const blocks = parts.reduce<Block[]>((all, part) => addPart(all, part, id), []);
    setBlocks(() => blocks);
  };
  show().catch((error: Error) => {
    if (!signal.aborted) setError(error);
  });
  return () => leaving.abort();
}
