import type { Registry } from "../registry/registry.ts";
import type { RunEvent } from "../run/event.ts";

/** The journal of a run from its first event to its terminal one, whichever process writes it; throws when the registry fails. */
export async function* followRun(
  registry: Registry,
  runId: string,
): AsyncGenerator<RunEvent, void> {
  let seen = 0;
  for (;;) {
    const change = watchRun(registry, runId);
    try {
      for (const event of await registry.events(runId, seen)) {
        yield event;
        seen = event.seq;
        if (event.type === "run-finished") return;
      }
      await change.happened;
    } finally {
      change.stop();
    }
  }
}

/** The next change of a run: an event of this process, or any write of another. */
function watchRun(
  registry: Registry,
  runId: string,
): { happened: Promise<void>; stop: () => void } {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Who follows may have left.
  promise.catch(() => undefined);
  const stopping = new AbortController();
  const unsubscribe = registry.subscribe((event) => {
    if (event.runId === runId) resolve();
  });
  registry.changed(stopping.signal).then(resolve, reject);
  return {
    happened: promise,
    stop() {
      unsubscribe();
      stopping.abort();
    },
  };
}
