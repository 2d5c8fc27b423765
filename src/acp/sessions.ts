import type {
  AgentContext,
  CancelNotification,
  CloseSessionRequest,
  DeleteSessionRequest,
  ListSessionsRequest,
  ListSessionsResponse,
  LoadSessionRequest,
  LoadSessionResponse,
  NewSessionRequest,
  NewSessionResponse,
  PromptRequest,
  PromptResponse,
  SetSessionConfigOptionRequest,
  SetSessionConfigOptionResponse,
  SetSessionModeRequest,
  SessionInfo,
} from "@agentclientprotocol/sdk";
import type { ClientAbilities } from "./client-abilities.ts";
import { sessionNotFound } from "./protocol-error.ts";
import { createSession, type Session } from "./session.ts";
import { forkConversation, type ForkSessionRequest } from "./fork-session.ts";
import { listConversationAgents } from "./conversation-agents.ts";
import { readCommand, tellCommands } from "./session-commands.ts";
import { changeChoice, describeModes, describeOptions, wrongValue } from "./session-options.ts";
import { toPrompt } from "./to-prompt.ts";
import { createUnusedSessions, type UnusedSessions } from "./unused-sessions.ts";
import {
  type Cadre,
  type CadreOptions,
  type Conversation,
  createCadre,
  createRunId,
  offerModels,
  permissionModes,
  type PermissionMode,
} from "../host.ts";
import { omitUndefined } from "../omit-undefined.ts";

/** The sessions of one connection. */
export interface Sessions {
  create(request: NewSessionRequest): Promise<NewSessionResponse>;
  load(request: LoadSessionRequest, replay: boolean): Promise<LoadSessionResponse>;
  /** Opens a session with a copy of the conversation of another. */
  fork(request: ForkSessionRequest): Promise<NewSessionResponse>;
  list(request: ListSessionsRequest): Promise<ListSessionsResponse>;
  close(request: CloseSessionRequest): Promise<object>;
  remove(request: DeleteSessionRequest): Promise<object>;
  setMode(request: SetSessionModeRequest): Promise<object>;
  setOption(request: SetSessionConfigOptionRequest): Promise<SetSessionConfigOptionResponse>;
  prompt(request: PromptRequest): Promise<PromptResponse>;
  cancel(request: CancelNotification): void;
  /** Closes all sessions; turns in progress are left for a resume. */
  end(): Promise<void>;
}

/** The services of sessions. */
export interface SessionsPlace {
  client: AgentContext;
  options: CadreOptions;
  log: (line: string) => void;
  abilities: () => ClientAbilities;
}

/** How many sessions are listed. */
const mostListed = 100;

/** Creates the sessions of a connection, initially none. */
export function createSessions(place: SessionsPlace): Sessions {
  const list = createOpenSessions(place);
  const { find, close } = list;
  const create = async (request: NewSessionRequest): Promise<NewSessionResponse> =>
    await createNew(list, request);
  return {
    close,
    create,
    async fork(request) {
      const options = { ...place.options, cwd: request.cwd };
      const last = await findLatestTurn(request.sessionId, options);
      if (last === undefined) return await create(request);
      const sessionId = await forkConversation(last, options);
      return { sessionId, ...(await load(list, { ...request, sessionId }, false)) };
    },
    load: async (request, replay) => await load(list, request, replay),
    async list({ cwd }) {
      const folder = cwd ?? place.options.cwd ?? process.cwd();
      await using cadre = await createCadre({ ...place.options, cwd: folder });
      const found = await cadre.conversations({ limit: mostListed });
      return { sessions: found.map((one) => toInfo(one, folder)) };
    },
    async remove({ sessionId }) {
      const cwd = list.get(sessionId)?.cwd;
      await close({ sessionId });
      await using cadre = await createCadre({
        ...place.options,
        ...omitUndefined({ cwd }),
      });
      const unused = unusedOf(cadre);
      if (await unused.has(sessionId)) await unused.remove(sessionId);
      else await cadre.deleteConversation(sessionId);
      return {};
    },
    async setMode({ sessionId, modeId }) {
      find(sessionId).setMode(readMode(modeId));
      return {};
    },
    async setOption({ sessionId, configId, value }) {
      const session = find(sessionId);
      const wanted = { configId, value: String(value) };
      if (configId === "mode") session.setMode(readMode(wanted.value));
      else changeChoice(session.choices, wanted, (await describe(session)).configOptions);
      return { configOptions: (await describe(session)).configOptions };
    },
    prompt: async ({ sessionId, prompt }) => await executePrompt(find(sessionId), prompt),
    cancel: ({ sessionId }) => list.get(sessionId)?.cancel(),
    end: list.end,
  };
}

/** The sessions that are open. */
interface OpenSessions {
  get(id: string): Session | undefined;
  /** @throws RequestError when it is not open. */
  find(id: string): Session;
  add(id: string, request: NewSessionRequest): Session;
  close(request: { sessionId: string }): Promise<object>;
  end(): Promise<void>;
}

function createOpenSessions({ client, options, log, abilities }: SessionsPlace): OpenSessions {
  const open = new Map<string, Session>();
  return {
    get: (id) => open.get(id),
    find(id) {
      const session = open.get(id);
      if (session === undefined) throw sessionNotFound(id);
      return session;
    },
    add(id, { cwd, mcpServers: servers }) {
      const session = createSession({ client, id, cwd, servers, options, abilities, log });
      open.set(id, session);
      return session;
    },
    async close({ sessionId }) {
      const session = open.get(sessionId);
      open.delete(sessionId);
      session?.cancel();
      await session?.close();
      return {};
    },
    async end() {
      await Promise.all([...open.values()].map(async (session) => await session.close()));
    },
  };
}

/** Closes a session that could not be opened. */
async function orClose<Value>(
  { close }: OpenSessions,
  { id }: Session,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    await close({ sessionId: id });
    throw error;
  }
}

/** Opens a session without a turn. */
async function createNew(
  list: OpenSessions,
  request: NewSessionRequest,
): Promise<NewSessionResponse> {
  const session = list.add(createRunId(Date.now()), request);
  return await orClose(list, session, async () => {
    const shown = await describe(session);
    await unusedOf(await session.cadre()).add(session.id);
    await tellCommands(session);
    return { sessionId: session.id, ...shown };
  });
}

/** The latest turn of a session; `undefined` for a session without a turn. */
async function findLatestTurn(
  sessionId: string,
  options: CadreOptions,
): Promise<string | undefined> {
  await using cadre = await createCadre(options);
  const [conversation] = await findConversation(cadre, sessionId);
  return conversation?.lastRunId;
}

/** Opens the session of a conversation; with `replay`, the editor gets all earlier turns. */
async function load(
  list: OpenSessions,
  request: LoadSessionRequest,
  replay: boolean,
): Promise<LoadSessionResponse> {
  const { sessionId } = request;
  await list.close(request);
  const session = list.add(sessionId, request);
  return await orClose(list, session, async () => {
    const cadre = await session.cadre();
    const [conversation] = await findConversation(cadre, sessionId);
    if (conversation !== undefined) {
      await session.open(await cadre.find(conversation.lastRunId), replay);
    }
    await tellCommands(session);
    return await describe(session);
  });
}

async function executePrompt(
  session: Session,
  blocks: PromptRequest["prompt"],
): Promise<PromptResponse> {
  const said = toPrompt(blocks);
  if (said.task === "") throw wrongValue("prompt", "a text or an image", "neither");
  const { agent } = session.choices;
  const prompt = await readCommand(session, said);
  if (session.choices.agent !== agent) {
    const { configOptions } = await describe(session);
    session.tell({ sessionUpdate: "config_option_update", configOptions });
  }
  const answer = await session.prompt(prompt);
  const cadre = await session.cadre();
  await unusedOf(cadre).remove(session.id);
  const [found] = await cadre.conversations({ run: session.id });
  if (found !== undefined) {
    session.tell({ sessionUpdate: "session_info_update", title: found.title });
  }
  return answer;
}

function unusedOf({ stateFolder }: Pick<Cadre, "stateFolder">): UnusedSessions {
  return createUnusedSessions(stateFolder);
}

/**
 * Returns the conversation of a session; `undefined` for a session without a turn.
 *
 * @throws CadreError `run-not-found` when there is no such session.
 */
async function findConversation(cadre: Cadre, sessionId: string): Promise<Conversation[]> {
  try {
    return await cadre.conversations({ run: sessionId });
  } catch (error) {
    if (await unusedOf(cadre).has(sessionId)) return [];
    throw error;
  }
}

function toInfo({ id, title, lastActivityAt }: Conversation, cwd: string): SessionInfo {
  return { sessionId: id, cwd, title, updatedAt: new Date(lastActivityAt).toISOString() };
}

/** The state of a session as the protocol describes it. */
async function describe(session: Session) {
  const cadre = await session.cadre();
  const agents = await listConversationAgents(cadre);
  const mode = session.choices.mode ?? cadre.configuration.config.permissions.mode;
  const models = offerModels(cadre.configuration.config.models.aliases, process.env);
  const configOptions = describeOptions(session.choices, { mode, agents, models });
  return { modes: describeModes(mode), configOptions };
}

function readMode(given: string): PermissionMode {
  const mode = permissionModes.find((one) => one === given);
  if (mode === undefined) throw wrongValue("modeId", `one of ${permissionModes.join(", ")}`, given);
  return mode;
}
