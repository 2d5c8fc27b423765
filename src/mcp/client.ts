import type { ClientCapabilities } from "@modelcontextprotocol/server";
import {
  type Ask,
  type Cadre,
  type CadreOptions,
  createCadre,
  type DelegateTools,
  type OnElicit,
} from "../index.ts";
import { readApproval, toApprovalQuestion } from "./approval-question.ts";
import type { Call } from "./call.ts";
import { canElicit, canSample, canSampleWithTools } from "./capabilities.ts";
import { changedResources, runsUri, agentsUri } from "./resource-uri.ts";
import { readExtensionAnswer, toExtensionQuestion } from "./extension-question.ts";
import { createHostModel } from "./host-model.ts";
import type { HostRequest, QuestionPool } from "./question-pool.ts";

/** Tells clients that something changed, whichever way they hear of it. */
export interface Announcer {
  toolsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
}

/** One client: a connection, a session, or what calls itself by one name where the protocol has neither. */
export interface Client {
  readonly name: string;
  /** What it said last that it can do. */
  capabilities: ClientCapabilities;
  /** Calls that wait for the client to come back with an answer, by their keys; the oldest first. */
  readonly parked: Map<string, Call>;
  /** Its runs belong together; opened when it is first needed. */
  cadre(): Promise<Cadre>;
  tools(): Promise<DelegateTools>;
  /** The root of the family of a run. */
  rootOf(runId: string): Promise<string>;
  /** Stops listening, and leaves its runs to be continued by any process, or, with `finish`, goes on until they are done. */
  close(how: "leave" | "finish"): Promise<void>;
}

/** What {@link createClient} needs. */
export interface ClientOptions {
  name: string;
  options: CadreOptions;
  pool: QuestionPool;
  announcer: Announcer;
}

/** A client that has said nothing yet. */
export function createClient({ name, options, pool, announcer }: ClientOptions): Client {
  let cadre: Promise<Cadre> | undefined;
  let tools: Promise<DelegateTools> | undefined;
  let closed: Promise<void> | undefined;
  const stops: (() => void)[] = [];

  async function open(): Promise<Cadre> {
    const opened = await createCadre({ ...options, ...createPorts(client, pool) });
    stops.push(announceRuns(opened, announcer));
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
    cadre: () => (cadre ??= orForget(open(), () => (cadre = undefined))),
    async tools() {
      const opened = await client.cadre();
      return await (tools ??= orForget(opened.tools(), () => (tools = undefined)));
    },
    async rootOf(runId) {
      const run = await (await client.cadre()).find(runId);
      return (await run.state()).rootId;
    },
    async close(how) {
      for (const stop of stops) stop();
      const opened = await cadre?.catch(() => undefined);
      if (how === "finish") await opened?.idle();
      await (closed ??= opened?.close({ leaveRuns: true }));
    },
  };
  return client;
}

/** What failed once is tried again the next time: a file may have been put right. */
function orForget<Value>(work: Promise<Value>, forget: () => void): Promise<Value> {
  work.catch(forget);
  return work;
}

/** What its runs need of it. */
function createPorts(
  client: Client,
  pool: QuestionPool,
): Required<Pick<CadreOptions, "onApproval" | "onElicit" | "fallbackModel">> {
  const ask = (
    request: HostRequest,
    rootId: string | null,
    signal: AbortSignal,
  ): Promise<unknown> => pool.ask({ client: client.name, rootId, request, signal });

  const onApproval: Ask = async (request, signal) => {
    if (!canElicit(client.capabilities)) return cannotAsk;
    try {
      const rootId = await client.rootOf(request.runId);
      return readApproval(await ask(toApprovalQuestion(request), rootId, signal));
    } catch (error) {
      signal.throwIfAborted();
      return { decision: "deny", reason: `the client could not ask: ${String(error)}` };
    }
  };
  const onElicit: OnElicit = async (request, signal) => {
    if (!canElicit(client.capabilities)) return { action: "decline" };
    const [caller] = request.callers;
    const rootId = caller === undefined ? null : await client.rootOf(caller.runId);
    return readExtensionAnswer(await ask(toExtensionQuestion(request), rootId, signal));
  };
  const model = createHostModel({
    sample: (params, signal) => ask({ method: "sampling/createMessage", params }, null, signal),
    hasTools: () => canSampleWithTools(client.capabilities),
  });
  const fallbackModel = (): typeof model | undefined =>
    canSample(client.capabilities) ? model : undefined;
  return { onApproval, onElicit, fallbackModel };
}

const cannotAsk = {
  decision: "deny",
  reason: "the MCP client cannot ask its user (it does not offer elicitation)",
} as const;

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
