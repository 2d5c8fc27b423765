import { CadreError } from "../../errors.ts";
import type { WorkTable } from "../../registry/work-table.ts";
import type { Run } from "../../run/run.ts";
import { isTerminal } from "../../run/run.ts";
import type { CreateEngine, Engine, EngineParts } from "../engine.ts";
import { refuseWorktree } from "../life/worktree.ts";
import type { ConnectDispatcher, Dispatcher } from "./dispatcher.ts";
import {
  createFileSubmission,
  type FileSubmission,
  type FilesOptions,
  type FilesToPush,
} from "./file-submission.ts";

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
  const { connect, label } = options;
  const create = (parts: EngineParts): Engine => {
    const work = requireWork(parts);
    requireRecordable(parts);
    let dispatcher: Promise<Dispatcher> | undefined;
    const queue = async (): Promise<Dispatcher> => await (dispatcher ??= connect(work.place));
    const files = createFileSubmission(parts, options);
    const hand = async (rootId: string): Promise<void> => {
      const submission = { label: label ?? null, setting: parts.dispatch.setting };
      const attempt = await work.submit(rootId, submission);
      await (await queue()).submit({ rootId, attempt }, submission.label);
    };
    return createEngine(parts, {
      work,
      files,
      queue,
      hand,
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
  /** Gives a family to the workers. */
  hand: (rootId: string) => Promise<void>;
  closeQueue: () => Promise<void>;
}

function createEngine(
  { local, registry, dispatch }: EngineParts,
  { work, queue, files, hand, closeQueue }: Handing,
): Engine {
  /**
   * Connects and records the files first, so that a queue that cannot be reached, and files that cannot be pushed, refuse the run
   * before it is recorded.
   */
  async function prepare(): Promise<FilesToPush | undefined> {
    await queue();
    const waiting = await work.countWaiting();
    const { maxWaiting } = dispatch;
    if (waiting < maxWaiting) return await files.record();
    const message = `Expected fewer than ${maxWaiting} families to wait for a worker (\`queue.maxWaiting\`); ${waiting} do. Start more workers, or try again later.`;
    throw new CadreError("limit-exceeded", message, { details: { waiting, maxWaiting } });
  }

  /** Gives a run that was recorded here to the workers, unless it belongs to a family that one of them executes. */
  async function handRoot(runId: string, toPush: FilesToPush | undefined): Promise<string> {
    const run = await registry.run(runId);
    if (run === undefined || !isOwnRoot(run)) return runId;
    try {
      const spec = toPush === undefined ? undefined : await registry.spec(runId);
      if (spec?.worktree !== undefined) throw refuseWorktree(spec.agent);
      await toPush?.push(runId);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      await local.cancel(
        runId,
        `The files of the run did not reach the workers. ${reason}`,
        "cadre",
      );
      throw error;
    }
    await hand(runId);
    return runId;
  }

  return {
    ...local,
    async spawn(request) {
      const toPush = await prepare();
      return await handRoot(await local.spawn(request), toPush);
    },
    async fork(...given) {
      const toPush = await prepare();
      return await handRoot(await local.fork(...given), toPush);
    },
    async retry(...given) {
      const toPush = await prepare();
      return await handRoot(await local.retry(...given), toPush);
    },
    async resume(rootId) {
      const run = await registry.run(rootId);
      if (run === undefined || isTerminal(run.status)) return;
      if ((await work.items({ rootId })).length > 0) return;
      if (!(await registry.abandoned()).includes(rootId)) {
        const message = `The run ${rootId} is being executed by another process. Watch it with \`cadre attach ${rootId}\`, or end it with \`cadre cancel ${rootId}\`.`;
        throw new CadreError("run-owned", message);
      }
      await queue();
      await hand(rootId);
    },
    async close() {
      await local.close();
      await closeQueue();
    },
  };
}

function isOwnRoot({ id, rootId, status }: Run): boolean {
  return id === rootId && !isTerminal(status);
}

/** @throws CadreError `config-invalid` for a registry of one machine. */
function requireWork({ registry: { work } }: EngineParts): WorkTable {
  if (work !== undefined) return work;
  const message =
    "Expected a registry in PostgreSQL, which the workers share; got one of this machine. Set `registry.url` or CADRE_REGISTRY_URL, or give `registry: postgres({ url })` of cadre/postgres.";
  throw new CadreError("config-invalid", message);
}

/** @throws CadreError `config-invalid` for options that would have no effect in another process. */
function requireRecordable({ dispatch: { onlyHere } }: EngineParts): void {
  if (onlyHere.length === 0) return;
  const names = onlyHere.map((name) => `\`${name}\``).join(", ");
  const message = `Expected no ${names} in the process that starts runs, because workers execute them. Give them to \`startWorker\` of cadre/dbos. Questions are answered with \`cadre.answer\`.`;
  throw new CadreError("config-invalid", message);
}
