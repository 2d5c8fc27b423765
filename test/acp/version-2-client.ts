import {
  client,
  type ClientCapabilities,
  type ClientContext,
  type InitializeResponse,
  methods,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/experimental/v2";
import { vi } from "vitest";
import type { Project } from "../cli/command-line.ts";
import { type AcpConnection, type AcpProcess, startAcp, startAcpProcess } from "./start-acp.ts";

/** An editor that is connected to `cadre acp` in version 2 of the protocol. */
export interface NewEditor extends Pick<AcpConnection, "leave"> {
  agent: ClientContext;
  initialized: InitializeResponse;
  /** The updates so far. */
  updates: SessionUpdate[];
  asked: RequestPermissionRequest[];
  /** Resolves when the updates match. */
  sees(isWanted: (updates: readonly SessionUpdate[]) => boolean): Promise<void>;
  /** Sends a prompt. Returns the id of the message. */
  sendPrompt(sessionId: string, text: string): Promise<string>;
}

/** An editor whose `cadre acp` is a process. */
export type NewEditorOfProcess = NewEditor & Pick<AcpProcess, "kill">;

type ClientApp = ReturnType<typeof client>;

/** Options of {@link openNewEditor}. */
export interface NewEditorOptions {
  words?: readonly string[];
  /** Returns the option that the user chooses; `undefined` gives no answer. */
  choose?: (request: RequestPermissionRequest) => string | undefined;
  capabilities?: ClientCapabilities;
  extend?: (app: ClientApp) => void;
}

/** Starts `cadre acp` for the project in this process and connects to it in version 2. */
export async function openNewEditor(
  project: Project,
  options: NewEditorOptions = {},
): Promise<NewEditor> {
  return await connect(startAcp(project, options.words), options);
}

/** Starts `cadre acp` for the project as a process and connects to it in version 2. */
export async function openNewEditorOfProcess(
  project: Project,
  options: NewEditorOptions = {},
): Promise<NewEditorOfProcess> {
  const { kill, ...connection } = await startAcpProcess(project, options.words);
  return { ...(await connect(connection, options)), kill };
}

async function connect(
  { stream, leave }: Pick<AcpConnection, "stream" | "leave">,
  { choose = () => "once", capabilities = {}, extend }: NewEditorOptions,
): Promise<NewEditor> {
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const app = client({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
      asked.push(params);
      const optionId = choose(params);
      if (optionId !== undefined) return { outcome: { outcome: "selected", optionId } };
      const cancelled = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => cancelled.resolve(), { once: true });
      await cancelled.promise;
      return { outcome: { outcome: "cancelled" } };
    });
  extend?.(app);
  const { agent } = app.connect(stream);
  const initialized = await agent.request(methods.agent.initialize, {
    protocolVersion: 2,
    info: { name: "test", version: "1" },
    capabilities,
  });
  return {
    agent,
    initialized,
    updates,
    asked,
    async sees(isWanted) {
      await vi.waitUntil(() => isWanted(updates), { timeout: 120_000, interval: 10 });
    },
    async sendPrompt(sessionId, text) {
      const prompt = [{ type: "text" as const, text }];
      return (await agent.request(methods.agent.session.prompt, { sessionId, prompt })).messageId;
    },
    leave,
  };
}

/** Creates a session in the project's folder and returns its id. */
export async function beginNew({ agent }: NewEditor, { path: cwd }: Project): Promise<string> {
  return (await agent.request(methods.agent.session.new, { cwd })).sessionId;
}

/** Returns a check whether this many turns have ended. */
export function isIdle(times: number): (updates: readonly SessionUpdate[]) => boolean {
  return (updates) =>
    statesOf(updates).filter((state) => state.startsWith("idle")).length === times;
}

/** Returns the states of a session so far, with the reasons of their ends. */
export function statesOf(updates: readonly SessionUpdate[]): string[] {
  return updates.flatMap((one) => {
    if (one.sessionUpdate !== "state_update") return [];
    const { state, stopReason } = one as { state: string; stopReason?: string };
    return [stopReason === undefined ? state : `${state} ${stopReason}`];
  });
}

/** Returns the text of the messages of a kind. */
export function messageTextOf(
  updates: readonly SessionUpdate[],
  kind = "agent_message_chunk",
): string {
  const found = updates.filter((one) => one.sessionUpdate === kind);
  return found.map((one) => (one as { content: { text: string } }).content.text).join("");
}

/** Returns the last value of each field of a call. */
export function callOf(updates: readonly SessionUpdate[], title: string): Record<string, unknown> {
  const calls = updates.filter((one) => one.sessionUpdate === "tool_call_update");
  const id = calls.find((one) => (one as { title?: string }).title === title);
  const ofCall = calls.filter(
    (one) =>
      (one as { toolCallId: string }).toolCallId === (id as { toolCallId?: string })?.toolCallId,
  );
  return Object.assign({}, ...ofCall) as Record<string, unknown>;
}
