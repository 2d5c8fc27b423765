import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { TemplateAnswer, TemplateOutcome, TemplateWork } from "./template-worker.ts";

const defaultLimitMs = 10_000;

/** A worker without work, kept because starting one takes longer than what it does. It does not keep the process alive. */
let idle: Worker | undefined;

/**
 * Reads or fills templates, one outcome each. In a worker with bounded memory, because a template is code that somebody
 * else wrote: steps, memory and `limitMs` bound it.
 */
export async function performTemplates(
  work: TemplateWork,
  limitMs: number = defaultLimitMs,
): Promise<TemplateOutcome[]> {
  if (work.templates.length === 0) return [];
  const worker = idle ?? startWorker();
  idle = undefined;
  worker.ref();
  const limit = AbortSignal.timeout(limitMs);
  try {
    worker.postMessage(work, []);
    const [answer] = (await once(worker, "message", { signal: limit })) as [TemplateAnswer];
    if (answer.isBroken || idle !== undefined) await worker.terminate();
    else idle = worker;
    return answer.outcomes;
  } catch (error) {
    await worker.terminate();
    if (!limit.aborted) throw error;
    const message = `The template takes longer than ${limitMs} ms to fill.`;
    return work.templates.map(() => ({ problem: { file: null, line: 1, message } }));
  } finally {
    worker.unref();
  }
}

function startWorker(): Worker {
  // Built code is JavaScript, the sources are run as they are.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new Worker(new URL(`./template-worker.${extension}`, import.meta.url), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
}
