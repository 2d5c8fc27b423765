import {
  client,
  type ClientCapabilities,
  type ClientContext,
  methods,
  type NewSessionResponse,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { Project } from "../cli/command-line.ts";
import { type AcpConnection, type AcpProcess, startAcp, startAcpProcess } from "./start-acp.ts";

/** An editor that is connected to `cadre acp`. */
export interface TestEditor extends Pick<AcpConnection, "leave"> {
  agent: ClientContext;
  /** The updates so far, by session. */
  updates: (SessionUpdate & { session: string })[];
  /** The permission requests so far. */
  asked: RequestPermissionRequest[];
  /** Resolves with the first update that matches. */
  sees(isWanted: (update: SessionUpdate) => boolean): Promise<SessionUpdate>;
}

/** An editor whose `cadre acp` is a process. */
export type EditorOfProcess = TestEditor & Pick<AcpProcess, "kill">;

type ClientApp = ReturnType<typeof client>;

/** Options of {@link openEditor}. */
export interface EditorOptions {
  words?: readonly string[];
  /** Returns the option that the user chooses; `undefined` gives no answer. */
  choose?: (request: RequestPermissionRequest) => string | undefined;
  /** Additional capabilities of the editor. */
  capabilities?: ClientCapabilities;
  /** Adds the handlers of these capabilities. */
  extend?: (app: ClientApp) => void;
}

/** Starts `cadre acp` for the project in this process and connects to it. */
export async function openEditor(
  project: Project,
  options: EditorOptions = {},
): Promise<TestEditor> {
  return await connect(startAcp(project, options.words), options);
}

/** Starts `cadre acp` for the project as a process and connects to it. */
export async function openEditorOfProcess(
  project: Project,
  options: EditorOptions = {},
): Promise<EditorOfProcess> {
  const { kill, ...connection } = await startAcpProcess(project, options.words);
  return { ...(await connect(connection, options)), kill };
}

async function connect(
  { stream, leave }: Pick<AcpConnection, "stream" | "leave">,
  { choose = () => "once", capabilities = {}, extend }: EditorOptions,
): Promise<TestEditor> {
  const updates: TestEditor["updates"] = [];
  const asked: RequestPermissionRequest[] = [];
  const watchers = new Set<() => void>();
  const app = client({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push({ ...params.update, session: params.sessionId });
      for (const watcher of watchers) watcher();
    })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params);
      const optionId = choose(params);
      if (optionId === undefined) return await new Promise<never>(() => undefined);
      return { outcome: { outcome: "selected", optionId } };
    });
  extend?.(app);
  const { agent } = app.connect(stream);
  await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      ...capabilities,
    },
  });
  return {
    agent,
    updates,
    asked,
    sees: async (isWanted) => await awaitUpdate({ updates, watchers }, isWanted),
    leave,
  };
}

async function awaitUpdate(
  { updates, watchers }: { updates: readonly SessionUpdate[]; watchers: Set<() => void> },
  isWanted: (update: SessionUpdate) => boolean,
): Promise<SessionUpdate> {
  const { promise, resolve } = Promise.withResolvers<SessionUpdate>();
  const check = (): void => {
    const found = updates.find(isWanted);
    if (found !== undefined) resolve(found);
  };
  watchers.add(check);
  check();
  return await promise.finally(() => watchers.delete(check));
}

/** Creates a session in the project's folder and returns its id. */
export async function begin({ agent }: TestEditor, { path: cwd }: Project): Promise<string> {
  const request = { cwd, mcpServers: [] };
  return (await agent.request<NewSessionResponse>(methods.agent.session.new, request)).sessionId;
}

/** Sends a prompt and returns how its turn ended. */
export async function sendPrompt(
  { agent }: TestEditor,
  sessionId: string,
  text: string,
): Promise<string> {
  const request = { sessionId, prompt: [{ type: "text" as const, text }] };
  return (await agent.request<PromptResponse>(methods.agent.session.prompt, request)).stopReason;
}

/** Returns the agent's text in these updates. */
export function sentTextOf(
  updates: readonly SessionUpdate[],
  kind = "agent_message_chunk",
): string {
  return updates
    .flatMap((update) =>
      update.sessionUpdate === kind && "content" in update ? [JSON.stringify(update.content)] : [],
    )
    .map((content) => (JSON.parse(content) as { text?: string }).text ?? "")
    .join("");
}
