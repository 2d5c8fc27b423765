// Sessions of an editor: conversations that it opens, lists, prompts, forks and closes.

import type { Choice } from "../editor/choice.ts";
import type { Command, Editor, TurnOutcome } from "../editor/editor.ts";
import { listConversationAgents } from "./conversation-agents.ts";
import { type GivenServer, toExtensions } from "./editor-servers.ts";
import { forkConversation } from "./fork-conversation.ts";
import {
  checkFolder,
  findSessionConversation,
  readSessionList,
  type SessionList,
} from "./session-list.ts";
import { createOpenSessions, type OpenSessions } from "./open-sessions.ts";
import type { Session } from "./session.ts";
import { listCommands, readCommand } from "./session-commands.ts";
import { changeChoice, describeChoices, wrongValue } from "./session-options.ts";
import { type GivenBlock, toPrompt } from "./to-prompt.ts";
import { unusedOf } from "./unused-sessions.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import {
  type CadreOptions,
  createCadre,
  createRunId,
  offerModels,
  permissionModes,
  type PermissionMode,
} from "../../host.ts";

/** A request for a new session. */
export interface NewSession {
  cwd: string;
  servers: readonly GivenServer[];
}

/** A request for an existing session. */
export interface KnownSession extends NewSession {
  sessionId: string;
}

/** An opened session. */
export interface OpenedSession {
  sessionId: string;
  choices: Choice[];
  commands: Command[];
}

/** The sessions of one connection. */
export interface Sessions {
  create(request: NewSession): Promise<OpenedSession>;
  /** Opens a session. With `replay`, the editor receives all earlier turns. */
  load(request: KnownSession, replay: boolean): Promise<OpenedSession>;
  /** Opens a session with a copy of another session's conversation. */
  fork(request: KnownSession): Promise<OpenedSession>;
  list(request: { cwd?: string | null; cursor?: string | null }): Promise<SessionList>;
  /** Cancels the turn in progress, waits for its end, and closes the session. */
  close(request: { sessionId: string }): Promise<void>;
  remove(request: { sessionId: string }): Promise<void>;
  /** Sets a choice and returns all choices. */
  choose(request: { sessionId: string; choice: string; value: string }): Promise<Choice[]>;
  /** Executes a turn and returns its outcome. `onBegun` receives the id of its run. */
  prompt(request: PromptRequest, onBegun?: (runId: string) => void): Promise<TurnOutcome>;
  cancel(request: { sessionId: string }): void;
  /** Cancels the sub-agents of a call. @throws CadreError `invalid-argument` when it has none. */
  cancelCall(request: { sessionId: string; callId: string }): void;
  /** Resolves when the session has no turn in progress. @throws RequestError when the session is not open. */
  idle(sessionId: string): Promise<void>;
  /** Closes all sessions. Turns in progress are left for a resume. */
  end(): Promise<void>;
}

/** A prompt of the editor's user. */
export interface PromptRequest {
  sessionId: string;
  blocks: readonly GivenBlock[];
}

/** Services of sessions. */
export interface SessionServices {
  editor: Editor;
  options: CadreOptions;
  log: (line: string) => void;
}

/** Creates the sessions of a connection, initially none. */
export function createSessions(services: SessionServices): Sessions {
  const { options } = services;
  const list = createOpenSessions(services);
  const { find, close } = list;
  const create = async (request: NewSession): Promise<OpenedSession> =>
    await createNew(list, request);
  return {
    close,
    create,
    async fork(request) {
      const mode = list.get(request.sessionId)?.choices.mode;
      const given = { ...options, cwd: request.cwd, ...omitUndefined({ mode }) };
      const last = await findLatestTurn(request.sessionId, given);
      if (last === undefined) return await create(request);
      const sessionId = await forkConversation(last, given);
      return await load(list, { ...request, sessionId, mode }, false);
    },
    load: async (request, replay) => await load(list, request, replay),
    list: async (request) => await readSessionList(request, options),
    async remove({ sessionId }) {
      const cwd = list.get(sessionId)?.cwd;
      await close({ sessionId });
      await using cadre = await createCadre({ ...options, ...omitUndefined({ cwd }) });
      const unused = unusedOf(cadre);
      if (await unused.has(sessionId)) await unused.remove(sessionId);
      else await cadre.deleteConversation(sessionId);
    },
    async choose({ sessionId, choice, value }) {
      const session = find(sessionId);
      if (choice === "mode") session.setMode(readMode(value));
      else changeChoice(session.choices, { choice, value }, await describe(session));
      return await describe(session);
    },
    prompt: async ({ sessionId, blocks }, onBegun = () => undefined) =>
      await executePrompt(find(sessionId), blocks, onBegun),
    cancel: ({ sessionId }) => list.get(sessionId)?.cancel(),
    cancelCall({ sessionId, callId }) {
      if (find(sessionId).cancelCall(callId)) return;
      throw wrongValue("toolCallId", "a call whose sub-agent is at work", callId);
    },
    idle: async (sessionId) => await find(sessionId).idle(),
    end: list.end,
  };
}

/** Closes a session if `work` cannot open it. */
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
async function createNew(list: OpenSessions, { cwd, servers }: NewSession): Promise<OpenedSession> {
  const id = createRunId(Date.now());
  const session = list.add({ id, cwd, extensions: toExtensions(servers) });
  return await orClose(list, session, async () => {
    const opened = await describeOpened(session);
    await unusedOf(await session.cadre()).add(session.id);
    return opened;
  });
}

/** Returns the latest turn of a session; `undefined` for a session without turns. */
async function findLatestTurn(
  sessionId: string,
  options: CadreOptions,
): Promise<string | undefined> {
  await using cadre = await createCadre(options);
  return (await findSessionConversation(cadre, sessionId))?.lastRunId;
}

async function load(
  list: OpenSessions,
  { sessionId, cwd, servers, mode }: KnownSession & { mode?: PermissionMode | undefined },
  replay: boolean,
): Promise<OpenedSession> {
  const extensions = toExtensions(servers);
  await list.leave(sessionId);
  const session = list.add({ id: sessionId, cwd, extensions });
  if (mode !== undefined) session.setMode(mode);
  return await orClose(list, session, async () => {
    const cadre = await session.cadre();
    const conversation = await findSessionConversation(cadre, sessionId);
    if (conversation === undefined) session.show({ type: "state", state: "idle" });
    else {
      await checkFolder(cadre, conversation, cwd);
      await session.open(await cadre.find(conversation.lastRunId), replay);
    }
    return await describeOpened(session);
  });
}

async function executePrompt(
  session: Session,
  blocks: readonly GivenBlock[],
  onBegun: (runId: string) => void,
): Promise<TurnOutcome> {
  const given = toPrompt(blocks);
  const { agent } = session.choices;
  const prompt = await readCommand(session, given);
  if (session.choices.agent !== agent) {
    session.show({ type: "choices", choices: await describe(session) });
  }
  return await session.prompt(prompt, onBegun);
}

async function describeOpened(session: Session): Promise<OpenedSession> {
  const choices = await describe(session);
  return { sessionId: session.id, choices, commands: await listCommands(session) };
}

/** Returns the settings of a session. */
async function describe(session: Session): Promise<Choice[]> {
  const cadre = await session.cadre();
  const agents = await listConversationAgents(cadre);
  const mode = session.choices.mode ?? cadre.configuration.config.permissions.mode;
  const models = offerModels(cadre.configuration.config.models.aliases, session.environment);
  return describeChoices(session.choices, { mode, agents, models });
}

function readMode(given: string): PermissionMode {
  const mode = permissionModes.find((one) => one === given);
  if (mode === undefined) throw wrongValue("mode", `one of ${permissionModes.join(", ")}`, given);
  return mode;
}
