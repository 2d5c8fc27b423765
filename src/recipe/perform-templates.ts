import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { limitCpu } from "../source/cpu-limit.ts";
import type { TemplateAnswer, TemplateOutcome, TemplateWork } from "./template-worker.ts";

const defaultLimitMs = 10_000;

/** A worker without work, kept because starting one takes longer than what it does. It does not keep the process alive. */
let idle: Worker | undefined;

/**
 * Reads or fills templates, one outcome each. In a worker with bounded memory, because a template is code that somebody
 * else wrote: steps, memory and `limitMs` of CPU time bound it.
 */
export async function performTemplates(
  work: TemplateWork,
  limitMs: number = defaultLimitMs,
): Promise<TemplateOutcome[]> {
  if (work.templates.length === 0) return [];
  const worker = idle ?? startWorker();
  idle = undefined;
  worker.ref();
  const limit = limitCpu(worker, limitMs);
  try {
    worker.postMessage(work, []);
    const [answer] = (await once(worker, "message", { signal: limit.signal })) as [TemplateAnswer];
    if (answer.isBroken || idle !== undefined) await worker.terminate();
    else idle = worker;
    return answer.outcomes;
  } catch (error) {
    await worker.terminate();
    if (!limit.signal.aborted) throw error;
    const message = `The template takes more than ${limitMs} ms of CPU time to fill.`;
    return work.templates.map(() => ({ problem: { file: null, line: 1, message } }));
  } finally {
    limit.stop();
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
