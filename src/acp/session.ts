import {
  type AgentContext,
  methods,
  type McpServer,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { askEditor, askForms, askParameters } from "./ask-editor.ts";
import { findAgentOf } from "./conversation-agents.ts";
import type { ClientAbilities } from "./client-abilities.ts";
import { readEditorText } from "./read-editor-text.ts";
import { toExtensions } from "./editor-servers.ts";
import { chosenFields, type SessionChoices } from "./session-options.ts";
import { createUsageReport, readConversationUsage } from "./usage-report.ts";
import { chunk, createUpdateProjection } from "./to-updates.ts";
import { createReopenedCadre } from "./reopened-cadre.ts";
import { replayTurns } from "./replay-turns.ts";
import type { Prompt } from "./to-prompt.ts";
import {
  type Cadre,
  type CadreOptions,
  createCadre,
  type RunHandle,
  type RunResult,
  type PermissionMode,
} from "../host.ts";
import { omitUndefined } from "../omit-undefined.ts";

/** What a session needs. */
export interface SessionPlace {
  client: AgentContext;
  id: string;
  cwd: string;
  servers: readonly McpServer[];
  options: CadreOptions;
  abilities: () => ClientAbilities;
  log: (line: string) => void;
}

/** A conversation in an editor: one run a turn. The first run has the id of the session. */
export interface Session {
  readonly id: string;
  readonly cwd: string;
  readonly choices: SessionChoices;
  /** The Cadre of the session, opened with its mode. */
  cadre(): Promise<Cadre>;
  /** Executes a turn. */
  prompt(prompt: Prompt): Promise<PromptResponse>;
  /** Cancels the turn in progress, also one that is about to begin. */
  cancel(): void;
  /** Continues the conversation whose latest turn is `run`; with `replay` the editor gets all its turns. */
  open(run: RunHandle, replay: boolean): Promise<void>;
  /** Opens Cadre with another mode from the next turn on. */
  setMode(mode: PermissionMode): void;
  tell(update: SessionUpdate): void;
  /** Closes Cadre; a turn in progress is left for a resume. */
  close(): Promise<void>;
}

/** Creates a session without a turn. */
export function createSession(place: SessionPlace): Session {
  const { client, id, cwd, log } = place;
  const choices: SessionChoices = { agent: "main" };
  const reopened = createReopenedCadre(async (mode) => await openCadre(place, mode));
  let active: RunHandle | undefined;
  let last: string | undefined;
  let isBusy = false;
  let isCancelled = false;

  const tell = createTell(client, id);
  const cadre = async (): Promise<Cadre> => await reopened.get(choices.mode, isBusy);

  async function follow(run: RunHandle): Promise<RunResult> {
    [active, last] = [run, run.id];
    if (isCancelled) void run.cancel(cancelReason).catch(() => undefined);
    return await tellTurn(run, { cwd, tell, cadre: await cadre() }).finally(
      () => (active = undefined),
    );
  }

  /** Does the work of one turn; a second one at the same time is refused. */
  async function inTurn<Value>(work: (here: Cadre) => Promise<Value>): Promise<Value> {
    if (isBusy) throw RequestError.invalidRequest({ code: "busy" }, busyMessage);
    isCancelled = false;
    // Opened with the mode that was chosen, before the session is busy and keeps it.
    const opening = cadre();
    isBusy = true;
    try {
      return await work(await opening);
    } finally {
      isBusy = false;
    }
  }

  return {
    id,
    cwd,
    choices,
    cadre,
    tell,
    close: reopened.close,
    prompt: async (prompt) =>
      await inTurn(async (here) =>
        describeEnd(await follow(await begin(here, prompt, { id, last, choices })), tell),
      ),
    cancel() {
      isCancelled = true;
      void active?.cancel(cancelReason).catch(() => undefined);
    },
    async open(run, replay) {
      last = run.id;
      const { result, rootId } = await run.state();
      choices.agent = await findAgentOf(await cadre(), run);
      if (replay) await replayTurns(await cadre(), run, { cwd, tell });
      if (result !== null) return (await readConversationUsage(await cadre(), run)).forEach(tell);
      await (await cadre()).resume(rootId);
      // The turn continues while the editor shows it.
      void inTurn(async () => await follow(run)).catch((error: unknown) => log(String(error)));
    },
    setMode(mode) {
      choices.mode = mode;
    },
  };
}

/** Requests the first turn of a session, or the one after `last`. */
async function begin(
  cadre: Cadre,
  { task, images, command }: Prompt,
  { id, last, choices }: { id: string; last: string | undefined; choices: SessionChoices },
): Promise<RunHandle> {
  const { notes: _, ...said } = command ?? { task, notes: [] };
  const request = { ...chosenFields(choices), ...said, ...(images.length > 0 && { images }) };
  if (last !== undefined) return await (await cadre.find(last)).continue(request);
  return await cadre.spawn({ ...request, agent: request.agent ?? choices.agent, id });
}

/** An editor that has disconnected gets no updates. */
function createTell(client: AgentContext, sessionId: string): (update: SessionUpdate) => void {
  return (update) => {
    client.notify(methods.client.session.update, { sessionId, update }).catch(() => undefined);
  };
}

const cancelReason = "cancelled by the user";
const busyMessage = "A turn of this session is in progress. Cancel it, or wait for its end.";

/** Sends the output of a turn to the editor until its end. */
async function tellTurn(
  run: RunHandle,
  { cwd, tell, cadre }: { cwd: string; tell: (update: SessionUpdate) => void; cadre: Cadre },
): Promise<RunResult> {
  const projection = createUpdateProjection(run.id, cwd);
  const usage = await createUsageReport(cadre, run);
  for await (const part of run.stream({ descendants: true })) {
    for (const update of projection.take(part)) tell(update);
    for (const update of await usage.take(part)) tell(update);
  }
  return await run.result();
}

async function openCadre(
  { client, id, cwd, servers, options, abilities, log }: SessionPlace,
  mode: PermissionMode | undefined,
): Promise<Cadre> {
  const place = { client, sessionId: id, cwd };
  const extensions = toExtensions(servers);
  const hasForms = (): boolean => abilities().elicitsForms;
  return await createCadre({
    telemetry: "environment",
    ...options,
    cwd,
    ...omitUndefined({ mode }),
    ...(servers.length > 0 && { config: { ...options.config, extensions } }),
    onApproval: askEditor(place),
    onElicit: askForms(place, hasForms),
    onParameter: askParameters(place, hasForms),
    ...(abilities().readsFiles && { readOpenText: readEditorText({ ...place, log }) }),
  });
}

/** Returns how a turn ended; a failure throws an error, which the editor shows. */
function describeEnd(
  { status, failure }: RunResult,
  tell: (update: SessionUpdate) => void,
): PromptResponse {
  if (status === "succeeded") return { stopReason: "end_turn" };
  if (status === "cancelled") return { stopReason: "cancelled" };
  const message = failure?.message ?? `The turn ${status}.`;
  if (failure?.code === "limit-exceeded" && /turns/.test(message)) {
    tell(chunk("agent_message_chunk", `\n${message}`));
    return { stopReason: "max_turn_requests" };
  }
  throw new RequestError(-32603, message, { code: failure?.code ?? status });
}
