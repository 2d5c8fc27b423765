import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ServerProblem } from "./problem.ts";

/** Remembers which run a request with an idempotency key started, for all servers of a project. */
export interface IdempotencyStore {
  /**
   * Returns the id of the run that the first request with this key started; without an earlier request, starts a run.
   *
   * @throws ServerProblem when the key came with a different request, or when the outcome of the first request is unknown.
   */
  startOnce(key: string, request: unknown, start: () => Promise<string>): Promise<StartedOnce>;
}

/** A run, and whether an earlier request started it. */
export interface StartedOnce {
  runId: string;
  isRepeated: boolean;
}

/** The content of a key's file. `runId` is `null` until the run exists. */
interface KeyRecord {
  request: string;
  runId: string | null;
}

/** A record, and whether it existed before the request. */
interface StartedRecord extends KeyRecord {
  isRepeated: boolean;
}

/** How long keys are remembered, in milliseconds: a day. */
const keptMs = 24 * 60 * 60 * 1000;

/**
 * Creates the store in `folder`: the first request with a key creates a file for it. If the process is killed between the creation of
 * the file and of the run, the outcome of the key stays unknown, and the request is never started again.
 */
export function createIdempotencyStore(folder: string): IdempotencyStore {
  /** The requests in progress in this process. A second request with the same key waits for the first. */
  const starting = new Map<string, Promise<StartedRecord>>();

  async function readOrBegin(
    path: string,
    request: string,
    start: () => Promise<string>,
  ): Promise<StartedRecord> {
    const earlier = await readRecord(path);
    if (earlier !== undefined) return { ...earlier, isRepeated: true };
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeOld(folder);
    await createFile(path, { request, runId: null });
    let runId: string;
    try {
      runId = await start();
    } catch (error) {
      // No run was created, so the key may be used again.
      await rm(path, { force: true });
      throw error;
    }
    await writeFile(`${path}.new`, JSON.stringify({ request, runId }), { mode: 0o600 });
    await rename(`${path}.new`, path);
    return { request, runId, isRepeated: false };
  }

  return {
    async startOnce(key, given, start) {
      const request = digestOf(JSON.stringify(given));
      const path = join(folder, digestOf(key));
      const before = starting.get(path);
      if (before !== undefined) return { runId: readRun(await before, request), isRepeated: true };
      // Recorded before any await, so that no second request can come between.
      const begun = readOrBegin(path, request, start);
      starting.set(path, begun);
      try {
        const record = await begun;
        return { runId: readRun(record, request), isRepeated: record.isRepeated };
      } finally {
        starting.delete(path);
      }
    },
  };
}

async function createFile(path: string, record: KeyRecord): Promise<void> {
  try {
    const file = await open(path, "wx", 0o600);
    await file.writeFile(JSON.stringify(record));
    await file.sync();
    await file.close();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") throw unknownStart();
    throw error;
  }
}

async function readRecord(path: string): Promise<KeyRecord | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as KeyRecord;
  } catch {
    // The process was killed while it wrote the file.
    throw unknownStart();
  }
}

function readRun({ request: first, runId }: KeyRecord, request: string): string {
  if (first !== request) {
    const detail = "Expected a new Idempotency-Key: this one was used with another request.";
    throw new ServerProblem("idempotency-key-reused", detail);
  }
  if (runId === null) throw unknownStart();
  return runId;
}

function unknownStart(): ServerProblem {
  const detail =
    "The first request with this Idempotency-Key is in progress in another process, or was interrupted, so a run may or may not have started. Check GET /api/v1/runs, and use a new key to start one.";
  return new ServerProblem("start-unknown", detail);
}

async function removeOld(folder: string): Promise<void> {
  const oldest = Date.now() - keptMs;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < oldest) await rm(path, { force: true });
  }
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
