import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { chunk, createUpdateProjection } from "./to-updates.ts";
import type { Cadre, RunHandle } from "../host.ts";

/** Sends all turns of a conversation up to `run` as they were recorded; of an unfinished turn, the prompt. */
export async function replayTurns(
  cadre: Cadre,
  run: RunHandle,
  { cwd, tell }: { cwd: string; tell: (update: SessionUpdate) => void },
): Promise<void> {
  const turns: RunHandle[] = [];
  for (let next: RunHandle | undefined = run; next !== undefined;) {
    turns.unshift(next);
    const { continues }: { continues?: string } = await next.state();
    next = continues === undefined ? undefined : await cadre.find(continues);
  }
  for (const turn of turns) {
    const { task, result } = await turn.state();
    tell(chunk("user_message_chunk", task));
    if (result === null) continue;
    const projection = createUpdateProjection(turn.id, cwd);
    for await (const part of turn.stream({ descendants: true })) {
      for (const update of projection.take(part)) tell(update);
    }
  }
}
