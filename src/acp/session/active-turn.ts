import type { TurnOutcome, Update } from "../editor/editor.ts";
import { type ActivityState, createActivityState } from "../view/activity-state.ts";
import { createTurnProjection, type TurnProjection } from "../view/project-turn.ts";
import { createUsageReport } from "../view/usage-report.ts";
import { describeEnd, toErrorEnd } from "./turn-outcome.ts";
import type { Cadre, Conversation, RunHandle, RunResult } from "../../host.ts";

/** The session's turn in progress, if any. */
export interface ActiveTurn {
  /** Forgets an earlier cancellation, because a turn is about to begin. */
  prepare(): void;
  /** Shows a turn until its end. Cancels it if a cancellation was requested. */
  follow(run: RunHandle, cadre: () => Promise<Cadre>): Promise<TurnOutcome>;
  /** Cancels the turn in progress, or the turn that is about to begin. */
  cancel(): void;
  /** Returns the active runs that a call of the turn started. */
  startedBy(callId: string): readonly string[];
  /** Marks a call as waiting for the user until the returned function is called. */
  waitFor(callId: string): () => void;
}

/** The place where the turns of a session are shown. */
export interface TurnView {
  sessionId: string;
  /** The folder of the session, as the editor names it. */
  cwd: string;
  show: (update: Update) => void;
}

/** The state of the turn in progress. */
interface Followed {
  run: RunHandle;
  projection: TurnProjection;
  activity: ActivityState;
}

/** The reason of cancellations in the journal. */
export const cancelReason = "cancelled by the user";

/** Creates the view of a session that has no turn in progress. */
export function createActiveTurn({ sessionId, cwd, show }: TurnView): ActiveTurn {
  let turn: Followed | undefined;
  let isCancelled = false;

  // A turn that has just ended needs no cancellation.
  const cancel = (): void => void turn?.run.cancel(cancelReason).catch(() => undefined);

  return {
    prepare() {
      isCancelled = false;
    },
    async follow(run, cadre) {
      const projection = createTurnProjection({ turn: run.id, cwd });
      turn = { run, projection, activity: createActivityState(show) };
      if (isCancelled) cancel();
      try {
        const here = await cadre();
        const end = describeEnd(await showParts(turn, here, show));
        const [conversation] = await here.conversations({ run: sessionId });
        if (conversation !== undefined) show(toTitle(conversation));
        show({ type: "state", state: "idle", end });
        return end;
      } catch (error) {
        show({ type: "state", state: "idle", end: toErrorEnd(String(error), "internal") });
        throw error;
      } finally {
        turn = undefined;
      }
    },
    cancel() {
      isCancelled = true;
      cancel();
    },
    startedBy: (callId) => turn?.projection.startedBy(callId) ?? [],
    waitFor: (callId) => turn?.activity.waitFor(callId) ?? (() => undefined),
  };
}

/** Shows the output of a turn until its end. */
async function showParts(
  { run, projection, activity }: Followed,
  cadre: Cadre,
  show: (update: Update) => void,
): Promise<RunResult> {
  const usage = await createUsageReport(cadre, run);
  for await (const part of run.stream({ descendants: true })) {
    activity.take(part);
    for (const update of projection.take(part)) show(update);
    for (const update of await usage.take(part)) show(update);
  }
  return await run.result();
}

function toTitle({ title, lastActivityAt }: Conversation): Update {
  return { type: "title", title, updatedAt: new Date(lastActivityAt).toISOString() };
}
