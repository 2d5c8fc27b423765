import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { threadEnvironment } from "../../compile-cache.ts";
import { CadreError } from "../../errors.ts";
import { limitCpu } from "../../source/cpu-limit.ts";
import {
  invalidRegex,
  matchesPerFile,
  type SearchRequest,
  type SearchResult,
} from "./grep-search.ts";
import { translatePattern } from "./regex-dialect.ts";
import type { RegexFindings, RegexWork } from "./regex-worker.ts";
import { errorMessage } from "../../error-message.ts";

const defaultLimitMs = 10_000;

/**
 * Searches without ripgrep, in a worker thread: an expression such as `(a+)+$` can take forever, and only a thread can be
 * stopped.
 *
 * @throws CadreError `tool-failed` for an invalid pattern, or one that takes more CPU time than `limitMs`.
 */
export async function searchByRegex(
  request: SearchRequest,
  limitMs: number = defaultLimitMs,
): Promise<SearchResult> {
  const expression = compile(request);
  const workerData: RegexWork = {
    folder: request.folder,
    files: request.files,
    source: expression.source,
    flags: expression.flags,
    matchesPerFile,
  };
  // Built code is JavaScript; sources run as TypeScript.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./regex-worker.${extension}`, import.meta.url), {
    workerData,
    env: threadEnvironment(),
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  const limit = limitCpu(worker, limitMs);
  try {
    const [findings] = (await once(worker, "message", {
      signal: AbortSignal.any([request.signal, limit.signal]),
    })) as [RegexFindings];
    return new Map(findings);
  } catch (error) {
    if (!limit.signal.aborted) throw error;
    throw new CadreError(
      "tool-failed",
      `The search took more than ${limitMs} ms of CPU time. Use a simpler pattern (no nested repetition such as (a+)+), or fewer files.`,
    );
  } finally {
    limit.stop();
    await worker.terminate();
  }
}

function compile(request: SearchRequest): RegExp {
  try {
    return translatePattern(request.pattern, request);
  } catch (error) {
    throw invalidRegex(request.pattern, errorMessage(error));
  }
}
