import type { TurnOutcome, Update } from "../editor/editor.ts";
import { replayTurns } from "../view/replay-turns.ts";
import { readConversationUsage } from "../view/usage-report.ts";
import { cancelReason, createActiveTurn } from "./active-turn.ts";
import { findAgentOf } from "./conversation-agents.ts";
import { createReopenedCadre } from "./reopened-cadre.ts";
import { openSessionCadre, type SessionSetup } from "./session-cadre.ts";
import { chosenFields, type SessionChoices } from "./session-options.ts";
import type { Prompt } from "./to-prompt.ts";
import { createTurnLock } from "./turn-lock.ts";
import { describeEnd } from "./turn-outcome.ts";
import { unusedOf } from "./unused-sessions.ts";
import type { Cadre, PermissionMode, RunHandle } from "../../host.ts";
import { errorMessage } from "../../error-message.ts";

/** A conversation in an editor: each turn is one run. The first run has the id of the session. */
export interface Session {
  readonly id: string;
  readonly cwd: string;
  readonly choices: SessionChoices;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Returns the session's Cadre, opened with its mode. */
  cadre(): Promise<Cadre>;
  /** Executes a turn. `onBegun` receives the id of its run when the prompt is part of the conversation. */
  prompt(prompt: Prompt, onBegun: (runId: string) => void): Promise<TurnOutcome>;
  /** Resolves when no turn is in progress. */
  idle(): Promise<void>;
  /** Cancels the turn in progress, or the turn that is about to begin. */
  cancel(): void;
  /** Cancels the sub-agents that a call of the turn started. Returns whether there are any. */
  cancelCall(callId: string): boolean;
  /** Continues the conversation whose latest turn is `run`. With `replay`, the editor receives all its turns. */
  open(run: RunHandle, replay: boolean): Promise<void>;
  /** Opens Cadre with another mode for the next turns. */
  setMode(mode: PermissionMode): void;
  show(update: Update): void;
  /** Closes Cadre. A turn in progress is left for a resume. */
  close(): Promise<void>;
}

/** Creates a session without a turn. */
export function createSession(setup: SessionSetup): Session {
  const { editor, id, cwd, log } = setup;
  const choices: SessionChoices = { agent: "main" };
  let last: string | undefined;
  /** Whether the latest turn is unfinished and may not continue with the rights of the session. */
  let isStopped = false;

  const show = (update: Update): void => editor.show(id, update);
  const report = (error: unknown): void => log(String(error));
  const turn = createActiveTurn({ sessionId: id, cwd, show });
  const lock = createTurnLock();
  const reopened = createReopenedCadre(
    async (mode) => await openSessionCadre(setup, { mode, waitFor: turn.waitFor }),
  );
  const cadre = async (): Promise<Cadre> => await reopened.get(choices.mode, lock.isBusy());

  /** Does the work of one turn with the currently chosen mode. The Cadre keeps that mode until the end of the turn. */
  async function inTurn<Value>(work: (here: Cadre) => Promise<Value>): Promise<Value> {
    return await lock.run(async () => {
      turn.prepare();
      return await cadre();
    }, work);
  }

  async function follow(run: RunHandle): Promise<TurnOutcome> {
    last = run.id;
    isStopped = false;
    return await turn.follow(run, cadre);
  }

  return {
    id,
    cwd,
    choices,
    environment: setup.options.environment ?? process.env,
    cadre,
    show,
    close: reopened.close,
    idle: lock.idle,
    cancel: turn.cancel,
    prompt: async (prompt, onBegun) =>
      await inTurn(async (here) => {
        if (isStopped && last !== undefined) await follow(await resumeTurn(here, last));
        const run = await requestTurn(here, prompt, { id, last, choices });
        onBegun(run.id);
        await unusedOf(here).remove(id);
        return await follow(run);
      }),
    cancelCall(callId) {
      const started = turn.startedBy(callId);
      void cancelRuns(cadre(), started).catch(report);
      return started.length > 0;
    },
    async open(run, replay) {
      last = run.id;
      choices.agent = await findAgentOf(await cadre(), run);
      if (replay) await replayTurns(await cadre(), run, { cwd, show });
      const state = await showLatestTurn(await cadre(), run, show);
      isStopped = state === "stopped";
      // The turn continues, and the editor shows it.
      if (state === "active") void inTurn(async () => await follow(run)).catch(report);
    },
    setMode(mode) {
      choices.mode = mode;
    },
  };
}

/** Shows how the latest turn of a conversation ended. Resumes an unfinished turn; `stopped` means that it may not continue. */
async function showLatestTurn(
  cadre: Cadre,
  run: RunHandle,
  show: (update: Update) => void,
): Promise<"ended" | "active" | "stopped"> {
  const { result } = await run.state();
  if (result !== null) {
    (await readConversationUsage(cadre, run)).forEach(show);
    show({ type: "state", state: "idle", end: describeEnd(result) });
    return "ended";
  }
  show({ type: "state", state: "running" });
  try {
    await resumeTurn(cadre, run.id);
    return "active";
  } catch (error) {
    const advice = "Choose the mode in the session. The turn continues with the next prompt.";
    show({ type: "notice", text: `${errorMessage(error)}\n${advice}` });
    show({ type: "state", state: "idle" });
    return "stopped";
  }
}

/** Continues an unfinished turn. */
async function resumeTurn(cadre: Cadre, runId: string): Promise<RunHandle> {
  const run = await cadre.find(runId);
  await cadre.resume((await run.state()).rootId);
  return run;
}

async function cancelRuns(opening: Promise<Cadre>, ids: readonly string[]): Promise<void> {
  const cadre = await opening;
  for (const id of ids) await (await cadre.find(id)).cancel(cancelReason);
}

/** Requests the first turn of a session, or the turn after `last`. */
async function requestTurn(
  cadre: Cadre,
  { task, images, command }: Prompt,
  { id, last, choices }: { id: string; last: string | undefined; choices: SessionChoices },
): Promise<RunHandle> {
  const { notes: _, ...turn } = command ?? { task, notes: [] };
  const request = { ...chosenFields(choices), ...turn, ...(images.length > 0 && { images }) };
  if (last !== undefined) return await (await cadre.find(last)).continue(request);
  return await cadre.spawn({ ...request, agent: request.agent ?? choices.agent, id });
}
