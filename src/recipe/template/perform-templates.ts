import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { threadEnvironment } from "../../compile-cache.ts";
import { limitCpu } from "../../source/cpu-limit.ts";
import { fillPlainTemplate } from "./plain-template.ts";
import type { TemplateAnswer, TemplateOutcome, TemplateWork } from "./template-worker.ts";

const defaultLimitMs = 10_000;

/** An idle worker, kept because starting one takes longer than its work. It does not keep the process alive. */
let idle: Worker | undefined;

/**
 * Checks or fills templates and returns an outcome for each. A template is untrusted code, so it runs in a worker with limited
 * steps, memory and CPU time (`limitMs`). Templates without code need no worker.
 */
export async function performTemplates(
  work: TemplateWork,
  limitMs: number = defaultLimitMs,
): Promise<TemplateOutcome[]> {
  const plain = work.templates.map((template) => fillPlainTemplate(template, work));
  const isPlain = (outcome: TemplateOutcome | null): outcome is TemplateOutcome => outcome !== null;
  return plain.every(isPlain) ? plain : await performInWorker(work, limitMs);
}

async function performInWorker(work: TemplateWork, limitMs: number): Promise<TemplateOutcome[]> {
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
  // The build contains JavaScript, and the sources run as TypeScript.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new Worker(new URL(`./template-worker.${extension}`, import.meta.url), {
    env: threadEnvironment(),
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
}
