import { CadreError } from "../../errors.ts";
import { readRecordedFiles } from "../../registry/recorded-files.ts";
import type { Submission, WorkTable } from "../../registry/work-table.ts";
import type { QueueRequest } from "../../run/queue/queue-request.ts";
import type { Run } from "../../run/run.ts";
import { isTerminal } from "../../run/run.ts";
import type { CreateEngine, Engine, EngineParts, SubmittedFiles } from "../engine.ts";
import { isInside } from "../../source/file/real-path.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { refuseWorktree } from "../life/worktree.ts";
import type { ConnectDispatcher, Dispatcher } from "./dispatcher.ts";
import { continueOnce } from "./continue-once.ts";
import { createStartOnce } from "./start-once.ts";
import {
  createFileSubmission,
  type FileSubmission,
  type FilesOptions,
  type FilesToPush,
} from "./file-submission.ts";
import { errorMessage } from "../../error-message.ts";

/** Options of {@link createDispatchedEngine}. */
export interface DispatchedEngineOptions extends FilesOptions {
  connect: ConnectDispatcher;
  /** The label that a worker needs to execute the families of this process. */
  label?: string | undefined;
}

/**
 * Creates the engine that submits root runs to workers: the built-in engine, which only records runs in this process, with its own
 * `spawn`, `fork`, `retry` and `resume`.
 */
export function createDispatchedEngine(options: DispatchedEngineOptions): CreateEngine {
  const { connect } = options;
  const create = (parts: EngineParts): Engine => {
    const work = requireWork(parts);
    requireRecordable(parts);
    let dispatcher: Promise<Dispatcher> | undefined;
    const queue = async (): Promise<Dispatcher> => await (dispatcher ??= connect(work.address));
    const files = createFileSubmission(parts, options);
    const label = options.label ?? parts.dispatch.label ?? null;
    const hand = async (
      { id: rootId, dependsOn }: Run,
      asked: QueueRequest = {},
    ): Promise<void> => {
      const { priority = 0 } = asked;
      const start = readStart(asked);
      const submission = { label, setting: parts.dispatch.setting, priority };
      const waits = { hasDependencies: dependsOn.length > 0, ...omitUndefined({ start }) };
      const attempt = await work.submit(rootId, { ...submission, ...waits });
      // At the start time, a worker puts it into the queue.
      if (start === undefined) await (await queue()).submit({ rootId, attempt }, submission);
    };
    return createEngine(parts, {
      work,
      files,
      queue,
      hand,
      onNote: options.onNote ?? (() => undefined),
      closeQueue: async () => {
        await (await dispatcher)?.close();
      },
    });
  };
  return Object.assign(create, { executes: false as const });
}

interface Handing {
  work: WorkTable;
  queue: () => Promise<Dispatcher>;
  files: FileSubmission;
  /** Submits a family to the workers. */
  hand: (root: Run, queue?: QueueRequest) => Promise<void>;
  onNote: (line: string) => void;
  closeQueue: () => Promise<void>;
}

/** The two halves of a submission: the part that can refuse a run before it is recorded, and the part after. */
interface HandOver {
  prepare(transfer?: FileSubmission["transfer"]): Promise<FilesToPush | undefined>;
  handRoot(runId: string, toPush: FilesToPush | undefined, asked?: QueueRequest): Promise<string>;
}

function createHandOver(
  { local, registry, dispatch }: EngineParts,
  { work, queue, files, hand }: Handing,
): HandOver {
  /**
   * Connects and records the files first: an unreachable queue, or files that cannot be pushed, must refuse the run before it is
   * recorded.
   */
  async function prepare(transfer = files.transfer): Promise<FilesToPush | undefined> {
    await queue();
    const { maxWaiting } = dispatch;
    const waiting = await work.countWaiting(maxWaiting);
    if (waiting < maxWaiting) return transfer === "git" ? await files.record() : undefined;
    const message = `Expected fewer than ${maxWaiting} families to wait for a worker (\`queue.maxWaiting\`); ${waiting} do. Start more workers, or try again later.`;
    throw new CadreError("limit-exceeded", message, { details: { waiting, maxWaiting } });
  }

  /** Submits a run that was recorded here to the workers, unless it belongs to a family that a worker executes. */
  async function handRoot(
    runId: string,
    toPush: FilesToPush | undefined,
    asked?: QueueRequest,
  ): Promise<string> {
    const run = await registry.run(runId);
    if (run === undefined || !isOwnRoot(run)) return runId;
    try {
      const spec = toPush === undefined ? undefined : await registry.spec(runId);
      if (spec?.worktree !== undefined) throw refuseWorktree(spec.agent);
      await toPush?.push(runId);
    } catch (error) {
      const reason = errorMessage(error);
      await local.cancel(
        runId,
        `The files of the run did not reach the workers. ${reason}`,
        "cadre",
      );
      throw error;
    }
    await hand(run, asked);
    return runId;
  }

  return { prepare, handRoot };
}

function createEngine(parts: EngineParts, handing: Handing): Engine {
  const { local, registry } = parts;
  const { work, queue, files, onNote, closeQueue } = handing;
  const { prepare, handRoot } = createHandOver(parts, handing);
  const startOnce = createStartOnce({ work, registry, onNote });

  /** Starts a run based on `runId`. Its files reach workers the same way as its family's. */
  async function startAgain(
    runId: string,
    start: (submitted: SubmittedFiles) => Promise<string>,
  ): Promise<string> {
    const run = await registry.run(runId);
    const spec = run && (await registry.spec(run.rootId));
    const toPush = await prepare(spec?.filesThrough);
    return await handRoot(await start(toPush === undefined ? {} : { filesThrough: "git" }), toPush);
  }

  return {
    ...local,
    async spawn(request, asked) {
      const start = async (): Promise<string> => {
        const toPush = await prepare();
        const isByGit = toPush !== undefined && request.parentId === null;
        const runId = await local.spawn(isByGit ? { ...request, filesThrough: "git" } : request);
        return await handRoot(runId, toPush, asked);
      };
      const startTurn = async (): Promise<string> =>
        await continueOnce({ work, registry }, request, start);
      return await startOnce({ key: asked?.dedupeKey, id: request.id, start: startTurn });
    },
    async fork(runId, at, task) {
      return await startAgain(
        runId,
        async (submitted) => await local.fork(runId, at, task, submitted),
      );
    },
    async retry(runId, raise) {
      return await startAgain(
        runId,
        async (submitted) => await local.retry(runId, raise, submitted),
      );
    },
    async resume(rootId) {
      const run = await registry.run(rootId);
      if (run === undefined || isTerminal(run.status)) return;
      if ((await work.items({ rootId })).length > 0) return;
      if (!(await registry.abandoned()).includes(rootId)) {
        throw runOwned(rootId);
      }
      await queue();
      await handRoot(rootId, await recordMissing(parts, files, run));
    },
    async close() {
      await local.close();
      await closeQueue();
    },
  };
}

/**
 * Records the files of a run submitted through git whose submitter was killed before it pushed them. No process has executed
 * anything yet. The run then belongs to this process.
 *
 * @throws CadreError `invalid-argument` in a folder other than the run's.
 */
async function recordMissing(
  { registry, dispatch }: EngineParts,
  files: FileSubmission,
  { id, startedAt }: Run,
): Promise<FilesToPush | undefined> {
  const spec = await registry.spec(id);
  if (spec?.filesThrough !== "git" || startedAt !== null) return undefined;
  if ((await readRecordedFiles(registry, id)) !== undefined) return undefined;
  const { folder } = dispatch.files;
  if (isInside(spec.workspace, folder)) {
    const toPush = await files.record({ isAgain: true });
    if (await registry.claim(id)) return toPush;
    throw runOwned(id);
  }
  const message = `Expected the folder of run ${id}, ${spec.workspace}, because its files were not pushed when it was submitted; got ${folder}. Change to that folder, then resume the run.`;
  throw new CadreError("invalid-argument", message);
}

function runOwned(rootId: string): CadreError {
  const message = `The run ${rootId} is being executed by another process. Watch it with \`cadre attach ${rootId}\`, or end it with \`cadre cancel ${rootId}\`.`;
  return new CadreError("run-owned", message);
}

/** Returns when a run may start; `undefined` = at once. */
function readStart({ startAt, startAfterSeconds = 0 }: QueueRequest): Submission["start"] {
  if (startAt !== undefined) return { at: new Date(startAt).getTime() };
  return startAfterSeconds > 0 ? { afterMs: startAfterSeconds * 1000 } : undefined;
}

function isOwnRoot({ id, rootId, status }: Run): boolean {
  return id === rootId && !isTerminal(status);
}

/** @throws CadreError `config-invalid` for a registry that only this machine can reach. */
function requireWork({ registry: { work } }: EngineParts): WorkTable {
  if (work !== undefined) return work;
  const message =
    "Expected a registry in PostgreSQL, which the workers share; got one on this machine. Set `registry.url` or CADRE_REGISTRY_URL, or pass `registry: postgres({ url })` from cadre/postgres.";
  throw new CadreError("config-invalid", message);
}

/** @throws CadreError `config-invalid` for options that would have no effect in another process. */
function requireRecordable({ dispatch: { onlyHere } }: EngineParts): void {
  if (onlyHere.length === 0) return;
  const names = onlyHere.map((name) => `\`${name}\``).join(", ");
  const message = `Expected no ${names} in the process that starts runs, because workers execute them. Pass them to \`startWorker\` of cadre/dbos. Answer questions with \`cadre.answer\`.`;
  throw new CadreError("config-invalid", message);
}
