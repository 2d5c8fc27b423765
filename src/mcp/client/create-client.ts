import { type Cadre, type CadreOptions, createCadre, type DelegateTools } from "../../host.ts";
import type { Announcer, Client } from "./client.ts";
import { createPorts } from "./client-ports.ts";
import type { QuestionPool } from "../question/question-pool.ts";
import { agentsUri, changedResources, runsUri } from "../resource/resource-uri.ts";
import { toStatusNotification } from "../task/task-status.ts";

/** Options of {@link createServedClient}. */
export interface ClientOptions {
  name: string;
  options: CadreOptions;
  pool: QuestionPool;
  announcer: Announcer;
}

/** Creates a client without capabilities and runs. */
export function createServedClient({ name, options, pool, announcer }: ClientOptions): Client {
  let cadre: Promise<Cadre> | undefined;
  let tools: Promise<DelegateTools> | undefined;
  let closed: Promise<void> | undefined;
  const stops: (() => void)[] = [];

  async function open(): Promise<Cadre> {
    const opened = await createCadre({
      telemetry: "environment",
      ...options,
      ...createPorts(client, pool),
    });
    stops.push(
      announceRuns(opened, announcer),
      opened.onEvent(({ type }, run) => {
        if (type === "run-finished" && client.tasks.delete(run.id)) {
          client.notify(toStatusNotification(run, pool));
        }
      }),
    );
    stops.push(
      await opened.watchAgents(() => {
        tools = undefined;
        announcer.toolsChanged();
        announcer.resourceUpdated(agentsUri);
      }),
    );
    return opened;
  }

  const client: Client = {
    name,
    capabilities: {},
    parked: new Map(),
    cancelled: new Set(),
    tasks: new Set(),
    notify: announcer.notify,
    cadre: () => (cadre ??= orForget(open(), () => (cadre = undefined))),
    async tools() {
      const opened = await client.cadre();
      return await (tools ??= orForget(opened.tools(), () => (tools = undefined)));
    },
    stateOf: async (runId) => await (await (await client.cadre()).find(runId)).state(),
    async close(how) {
      await Promise.allSettled(client.cancelled);
      for (const stop of stops) stop();
      const opened = await cadre?.catch(() => undefined);
      if (how === "finish") await opened?.idle();
      await (closed ??= opened?.close({ leaveRuns: true }));
    },
  };
  return client;
}

/** Calls `forget` when `work` fails: the next call tries again, because the user may have corrected a file. */
function orForget<Value>(work: Promise<Value>, forget: () => void): Promise<Value> {
  work.catch(forget);
  return work;
}

function announceRuns(cadre: Cadre, announcer: Announcer): () => void {
  return cadre.onEvent((event, run) => {
    for (const uri of changedResources(run)) announcer.resourceUpdated(uri);
    if (run.parentId !== null) return;
    if (event.type === "run-created") announcer.resourcesChanged();
    if (event.type === "run-created" || event.type === "run-finished") {
      announcer.resourceUpdated(runsUri);
    }
  });
}
