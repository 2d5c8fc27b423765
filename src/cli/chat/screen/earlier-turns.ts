import type { TranscriptView } from "./transcript-view.ts";
import { shortRunId } from "../../../short-run-id.ts";
import type { Cadre, RunHandle, RunOverview } from "../../../host.ts";

/** The maximum number of earlier turns that are shown. */
const maxTurns = 20;

/** Shows the recorded turns after `known`, up to `run`; of an unfinished turn, only the task. Default: all turns. */
export async function showEarlierTurns(
  cadre: Cadre,
  { run, known }: { run: RunHandle; known?: RunHandle },
  transcript: TranscriptView,
): Promise<void> {
  const turns: RunHandle[] = [];
  let next: RunHandle | undefined = run;
  while (next !== undefined && next.id !== known?.id && turns.length < maxTurns) {
    turns.unshift(next);
    const { continues }: RunOverview = await next.state();
    next = continues === undefined ? undefined : await cadre.find(continues);
  }
  if (next !== undefined && next.id !== known?.id)
    transcript.note(`Earlier turns: cadre show ${shortRunId(next.id)}`);
  for (const turn of turns) {
    const { task, result } = await turn.state();
    transcript.userMessage(task);
    if (result === null) continue;
    for (const part of await turn.transcript()) transcript.take(part);
    transcript.ended(result);
  }
}
