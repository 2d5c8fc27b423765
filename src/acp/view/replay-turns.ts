import { createTurnProjection } from "./project-turn.ts";
import type { Update } from "../editor/editor.ts";
import type { Cadre, RunHandle } from "../../host.ts";

/** Shows the recorded turns of a conversation up to `run`; of an unfinished turn, the prompt. */
export async function replayTurns(
  cadre: Cadre,
  run: RunHandle,
  { cwd, show }: { cwd: string; show: (update: Update) => void },
): Promise<void> {
  const turns: RunHandle[] = [];
  for (let next: RunHandle | undefined = run; next !== undefined;) {
    turns.push(next);
    const { continues }: { continues?: string } = await next.state();
    next = continues === undefined ? undefined : await cadre.find(continues);
  }
  for (const turn of turns.toReversed()) {
    const { task, result } = await turn.state();
    show({ type: "prompt", messageId: turn.id, text: task });
    if (result === null) continue;
    const projection = createTurnProjection({ turn: turn.id, cwd, isPast: true });
    for await (const part of turn.stream({ descendants: true })) {
      for (const update of projection.take(part)) show(update);
    }
  }
}
