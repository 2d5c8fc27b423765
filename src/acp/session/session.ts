import { RequestError } from "@agentclientprotocol/sdk";
import type { Editor, TurnOutcome, Update } from "../editor/editor.ts";
import { askPermission } from "../question/ask-permission.ts";
import { askForms, askParameters } from "../question/ask-form.ts";
import { type ActivityState, createActivityState } from "../view/activity-state.ts";
import { createTurnProjection, type TurnProjection } from "../view/project-turn.ts";
import { replayTurns } from "../view/replay-turns.ts";
import { createUsageReport, readConversationUsage } from "../view/usage-report.ts";
import { findAgentOf } from "./conversation-agents.ts";
import { createReopenedCadre } from "./reopened-cadre.ts";
import { readEditorText } from "./read-editor-text.ts";
import { chosenFields, type SessionChoices } from "./session-options.ts";
import type { Prompt } from "./to-prompt.ts";
import { describeEnd, toErrorEnd } from "./turn-outcome.ts";
import { unusedOf } from "./unused-sessions.ts";
import {
  type Cadre,
  type CadreOptions,
  type Conversation,
  createCadre,
  type PermissionMode,
  type RunHandle,
  type RunResult,
} from "../../host.ts";

/** What a session needs. */
export interface SessionPlace {
  editor: Editor;
  id: string;
  cwd: string;
  /** The MCP servers that the editor brings. */
  extensions: NonNullable<NonNullable<CadreOptions["config"]>["extensions"]>;
  options: CadreOptions;
  log: (line: string) => void;
}

/** A conversation in an editor: one run a turn. The first run has the id of the session. */
export interface Session {
  readonly id: string;
  readonly cwd: string;
  readonly choices: SessionChoices;
  /** The Cadre of the session, opened with its mode. */
  cadre(): Promise<Cadre>;
  /** Executes a turn. `onBegun` gets the id of its run when the prompt is part of the conversation. */
  prompt(prompt: Prompt, onBegun: (runId: string) => void): Promise<TurnOutcome>;
  /** Resolves when no turn is in progress. */
  idle(): Promise<void>;
  /** Cancels the turn in progress, also one that is about to begin. */
  cancel(): void;
  /** Cancels the sub-agents that a call of the turn started; returns whether there are any. */
  cancelCall(callId: string): boolean;
  /** Continues the conversation whose latest turn is `run`; with `replay` the editor gets all its turns. */
  open(run: RunHandle, replay: boolean): Promise<void>;
  /** Opens Cadre with another mode from the next turn on. */
  setMode(mode: PermissionMode): void;
  show(update: Update): void;
  /** Closes Cadre; a turn in progress is left for a resume. */
  close(): Promise<void>;
}

/** A turn in progress. */
interface Turn {
  run: RunHandle;
  projection: TurnProjection;
  activity: ActivityState;
}

/** Creates a session without a turn. */
export function createSession(place: SessionPlace): Session {
  const { editor, id, cwd, log } = place;
  const choices: SessionChoices = { agent: "main" };
  let turn: Turn | undefined;
  let last: string | undefined;
  /** The latest turn has not ended, and may not go on with the rights of the session. */
  let isStopped = false;
  let work: Promise<unknown> | undefined;
  let isCancelled = false;

  const show = (update: Update): void => editor.show(id, update);
  const waitFor = (callId: string): (() => void) =>
    turn?.activity.waitFor(callId) ?? (() => undefined);
  const reopened = createReopenedCadre(async (mode) => await openCadre(place, { mode, waitFor }));
  const cadre = async (): Promise<Cadre> => await reopened.get(choices.mode, work !== undefined);

  const cancel = (run: RunHandle | undefined): void =>
    void run?.cancel(cancelReason).catch(() => undefined);

  /** Executes the latest turn again from where it stood. */
  async function resume(here: Cadre, runId: string): Promise<RunHandle> {
    const run = await here.find(runId);
    await here.resume((await run.state()).rootId);
    isStopped = false;
    return run;
  }

  async function follow(run: RunHandle): Promise<TurnOutcome> {
    last = run.id;
    const projection = createTurnProjection({ turn: run.id, cwd });
    turn = { run, projection, activity: createActivityState(show) };
    if (isCancelled) cancel(run);
    try {
      const here = await cadre();
      const end = describeEnd(await showTurn(turn, { show, cadre: here }));
      const [conversation] = await here.conversations({ run: id });
      if (conversation !== undefined) show(toTitle(conversation));
      show({ type: "state", state: "idle", end });
      return end;
    } catch (error) {
      show({ type: "state", state: "idle", end: toErrorEnd(String(error), "internal") });
      throw error;
    } finally {
      turn = undefined;
    }
  }

  /** Does the work of one turn; a second one at the same time is refused. */
  async function inTurn<Value>(execute: (here: Cadre) => Promise<Value>): Promise<Value> {
    if (work !== undefined) throw RequestError.invalidRequest({ code: "busy" }, busyMessage);
    isCancelled = false;
    // Opened with the mode that was chosen, before the session is busy and keeps it.
    const opening = cadre();
    const working = opening.then(execute);
    work = working;
    try {
      return await working;
    } finally {
      work = undefined;
    }
  }

  return {
    id,
    cwd,
    choices,
    cadre,
    show,
    close: reopened.close,
    prompt: async (prompt, onBegun) =>
      await inTurn(async (here) => {
        if (isStopped && last !== undefined) await follow(await resume(here, last));
        const run = await begin(here, prompt, { id, last, choices });
        onBegun(run.id);
        await unusedOf(here).remove(id);
        return await follow(run);
      }),
    idle: async () => void (await work?.catch(() => undefined)),
    cancel() {
      isCancelled = true;
      cancel(turn?.run);
    },
    cancelCall(callId) {
      const started = turn?.projection.startedBy(callId) ?? [];
      const cancelAll = async (here: Cadre): Promise<void> => {
        for (const runId of started) await (await here.find(runId)).cancel(cancelReason);
      };
      void cadre()
        .then(cancelAll)
        .catch((error: unknown) => log(String(error)));
      return started.length > 0;
    },
    async open(run, replay) {
      last = run.id;
      const { result, rootId } = await run.state();
      choices.agent = await findAgentOf(await cadre(), run);
      if (replay) await replayTurns(await cadre(), run, { cwd, show });
      if (result !== null) {
        (await readConversationUsage(await cadre(), run)).forEach(show);
        return show({ type: "state", state: "idle", end: describeEnd(result) });
      }
      show({ type: "state", state: "running" });
      try {
        await (await cadre()).resume(rootId);
      } catch (error) {
        isStopped = true;
        const advice = "Choose the mode in the session. The turn continues with the next prompt.";
        show({ type: "notice", text: `${messageOf(error)}\n${advice}` });
        return show({ type: "state", state: "idle" });
      }
      // The turn continues while the editor shows it.
      void inTurn(async () => await follow(run)).catch((error: unknown) => log(String(error)));
    },
    setMode(mode) {
      choices.mode = mode;
    },
  };
}

/** Requests the first turn of a session, or the one after `last`. */
async function begin(
  cadre: Cadre,
  { task, images, command }: Prompt,
  { id, last, choices }: { id: string; last: string | undefined; choices: SessionChoices },
): Promise<RunHandle> {
  const { notes: _, ...said } = command ?? { task, notes: [] };
  const request = { ...chosenFields(choices), ...said, ...(images.length > 0 && { images }) };
  if (last !== undefined) return await (await cadre.find(last)).continue(request);
  return await cadre.spawn({ ...request, agent: request.agent ?? choices.agent, id });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function toTitle({ title, lastActivityAt }: Conversation): Update {
  return { type: "title", title, updatedAt: new Date(lastActivityAt).toISOString() };
}

const cancelReason = "cancelled by the user";
const busyMessage = "A turn of this session is in progress. Cancel it, or wait for its end.";

/** Shows the output of a turn until its end. */
async function showTurn(
  { run, projection, activity }: Turn,
  { show, cadre }: { show: (update: Update) => void; cadre: Cadre },
): Promise<RunResult> {
  const usage = await createUsageReport(cadre, run);
  for await (const part of run.stream({ descendants: true })) {
    activity.take(part);
    for (const update of projection.take(part)) show(update);
    for (const update of await usage.take(part)) show(update);
  }
  return await run.result();
}

async function openCadre(
  { editor, id, cwd, extensions, options, log }: SessionPlace,
  { mode, waitFor }: { mode: PermissionMode | undefined; waitFor: (callId: string) => () => void },
): Promise<Cadre> {
  const place = { editor, sessionId: id, cwd, waitFor };
  return await createCadre({
    telemetry: "environment",
    ...options,
    cwd,
    ...(mode !== undefined && { mode }),
    ...(Object.keys(extensions).length > 0 && { config: { ...options.config, extensions } }),
    onApproval: askPermission(place),
    onElicit: askForms(place),
    onParameter: askParameters(place),
    ...(editor.abilities().readsFiles && { readOpenText: readEditorText({ ...place, log }) }),
  });
}
