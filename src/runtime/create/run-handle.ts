import type { Activities } from "../../engine/live/activities.ts";
import type { Engine } from "../../engine/engine.ts";
import { CadreError } from "../../errors.ts";
import { readOverview } from "../../registry/read-overviews.ts";
import type { RecordedResult, RunResult } from "../../run/result.ts";
import { isTerminal } from "../../run/run.ts";
import type { RunOverview } from "../../run/run-overview.ts";
import { selectDescendants } from "../../run/select-descendants.ts";
import type { ContinueOptions } from "../spawn-options.ts";
import { type ArgumentSchemas, checkArguments } from "../option/check-arguments.ts";
import { runArguments } from "../option/run-arguments.ts";
import type { ResultOptions, RunHandle } from "../run-handle.ts";
import { type Batches, readBatches, type ReadOptions, streamRun } from "../stream/stream-run.ts";
import { toTranscript } from "../stream/to-transcript.ts";
import { streamText, textEvents } from "../stream/stream-text.ts";
import { createUIMessageStream } from "../stream/ui-message-stream.ts";
import { followRun } from "../tools/follow.ts";
import type { ArtifactSource } from "../artifact/read-artifacts.ts";
import { findRun, type Store } from "../services/store.ts";

/** Options of {@link createRunHandle}. */
export interface RunHandleOptions {
  store: Pick<Store, "open">;
  activities: Activities;
  /** The folder of the registry. */
  folder: string;
  engine: () => Promise<Engine>;
  /** Starts the next turn of the conversation of a run. */
  continueRun: <Output>(
    id: string,
    request: string | ContinueOptions<Output>,
  ) => Promise<RunHandle<Output>>;
}

/** Creates the handle of a run, whichever process executes it. The caller names the type of its output. */
export function createRunHandle<Output = unknown>(
  id: string,
  options: RunHandleOptions,
): RunHandle<Output> {
  const { store, activities, engine, continueRun } = options;
  const readState = async (): Promise<RunOverview> =>
    await readOverview(store.open(), await findRun(store.open(), id));
  const read = (how: ReadOptions): Batches =>
    readBatches({ registry: store.open(), activities }, id, how);

  const handle: RunHandle<Output> = {
    id,
    state: readState,
    events: (how) => followRun(store.open(), id, how),
    journal: async (which) => await store.open().events(id, which),
    transcript: async () => toTranscript(id, await store.open().events(id)),
    ...readArtifacts(id, options),
    async descendants() {
      const { rootId } = await findRun(store.open(), id);
      const below = selectDescendants(id, await store.open().family(rootId));
      return below.map((run) => createRunHandle(run.id, options));
    },
    async board() {
      const { rootId } = await findRun(store.open(), id);
      const { readBoard } = await import("../../delegate/team/live-board.ts");
      return (await readBoard(store.open(), rootId)).tasks();
    },
    stream: ({ descendants = false, signal } = {}) =>
      streamRun(read({ others: descendants ? "descendants" : "children", signal })),
    get textStream() {
      return streamText(read({ others: "none", types: textEvents }));
    },
    toUIMessageStream: ({ signal } = {}) =>
      createUIMessageStream(id, (leaving) =>
        read({
          others: "children",
          signal: signal === undefined ? leaving : AbortSignal.any([signal, leaving]),
        }),
      ),
    async result(wait = {}) {
      const result = await awaitResult(await engine(), id, wait);
      // The output fits the schema of the run, whose type the caller named.
      return result as RunResult<Output>;
    },
    send: async (text) => await (await engine()).send(id, text, "user"),
    raise: async (limits) => await (await engine()).raise(id, limits, "user"),
    continue: async (request) => await continueRun(id, request),
    async cancel(reason = "cancelled by the user", { keepDetached = false } = {}) {
      const here = await engine();
      const isCancelled = await here.cancel(id, reason, "user", { keepDetached });
      if (!isCancelled) return false;
      await here.result(id);
      // Other descendants ended before the run.
      if (!keepDetached) await awaitOutliving(store, here, id);
      return true;
    },
  };
  return checkArguments("run", handle, runArguments as ArgumentSchemas<RunHandle<Output>>);
}

function readArtifacts(
  id: string,
  { store, folder }: Pick<RunHandleOptions, "store" | "folder">,
): Pick<RunHandle, "artifacts" | "artifact"> {
  const readStateLocation = async (): Promise<ArtifactSource> => {
    const registry = store.open();
    return { registry, folder, run: await findRun(registry, id) };
  };
  return {
    async artifacts() {
      const { listArtifacts } = await import("../artifact/read-artifacts.ts");
      return await listArtifacts(await readStateLocation());
    },
    async artifact(artifactId) {
      const { openArtifact } = await import("../artifact/read-artifacts.ts");
      return await openArtifact(await readStateLocation(), artifactId);
    },
  };
}

async function awaitResult(
  engine: Engine,
  id: string,
  { signal, timeoutMs }: ResultOptions,
): Promise<RecordedResult> {
  if (timeoutMs === undefined) return await engine.result(id, signal);
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(tooLong(id, timeoutMs)), timeoutMs);
  const ends = signal === undefined ? [timeout.signal] : [timeout.signal, signal];
  try {
    return await engine.result(id, AbortSignal.any(ends));
  } finally {
    clearTimeout(timer);
  }
}

function tooLong(id: string, timeoutMs: number): CadreError {
  const message = `The run ${id} had not ended after ${timeoutMs} ms. It continues: wait for \`result()\` again, or end it with \`cancel()\`.`;
  return new CadreError("timed-out", message, { details: { runId: id } });
}

/** Waits for the ends of a run's descendants that were active when it ended. */
async function awaitOutliving(
  store: Pick<Store, "open">,
  engine: Engine,
  id: string,
): Promise<void> {
  const run = await findRun(store.open(), id);
  const below = selectDescendants(id, await store.open().family(run.rootId));
  const atWork = below.filter(({ status }) => !isTerminal(status));
  await Promise.all(atWork.map((one) => engine.result(one.id)));
}
