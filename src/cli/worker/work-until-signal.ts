// Workers on the command line: executing submitted runs, and submitting runs.

import type { CadreOptions } from "../../host.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { withCadre } from "../run/open-cadre.ts";
import { cleanLine } from "../terminal/clean-text.ts";
import { listenForInterrupts } from "../terminal/interrupts.ts";
import { writeError } from "../terminal/output.ts";

/** Options of {@link workUntilSignal}. */
export interface WorkUntilSignalOptions {
  /** Default: the settings `worker.*`. */
  concurrency?: number;
  label?: string;
  /** The git repositories from which the worker may get files, in addition to the configured ones. */
  clones: readonly string[];
  /** How long to wait for families after the signal, in milliseconds. */
  drain?: number;
  grants: CadreOptions;
}

/** The number of connections to each registry that a worker opens, besides the listening one. */
const connections = 2;

/**
 * Works until a signal, and then leaves unfinished families to other workers.
 *
 * @throws CadreError `registry-newer`, afterwards, when a newer Cadre has migrated the registry.
 */
export async function workUntilSignal(options: WorkUntilSignalOptions): Promise<void> {
  const { grants } = options;
  const { configuredSource, killAllProcesses, startWorker } = await import("../../host.ts");
  const { worker: settings, registry } = await withCadre(async ({ configuration }) => {
    const { config } = configuration;
    return { ...config, registry: await configuredSource(config, { connections }) };
  });
  const {
    concurrency = settings.concurrency,
    label = settings.label,
    drain = settings.drainSeconds * 1000,
  } = options;
  const clones = [...settings.clones, ...options.clones];
  const { promise: asked, resolve: end } = Promise.withResolvers<void>();
  const interrupts = listenForInterrupts({
    onFirst: () => end(),
    onSecond() {
      killAllProcesses();
      process.exit(1);
    },
  });
  const onNote = (line: string): void => {
    writeError(`${new Date().toISOString()} ${cleanLine(line)}`);
  };
  try {
    const worker = await startWorker({
      telemetry: "environment",
      ...grants,
      registry,
      concurrency,
      onNote,
      clones,
      ...omitUndefined({ label }),
    });
    writeError(`Working as ${worker.id}, on ${concurrency} families at once.`);
    // The queue's timers do not keep the process alive.
    const stay = setInterval(() => undefined, 3_600_000);
    worker.failed.addEventListener("abort", () => end());
    await asked;
    clearInterval(stay);
    await worker.stop({ drainSeconds: drain / 1000 });
    worker.failed.throwIfAborted();
  } finally {
    interrupts.stop();
  }
}
