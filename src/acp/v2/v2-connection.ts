import type { AgentContext } from "@agentclientprotocol/sdk/experimental/v2";
import type { Editor } from "../editor/editor.ts";
import type { Sessions } from "../session/sessions.ts";
import type { PromptQueue } from "./prompt-queue.ts";

/** A connection of version 2. */
export interface V2Connection {
  editor: Editor;
  sessions: Sessions;
  queue: PromptQueue;
}

/** Returns the connection of a request, always the same one. */
export type OpenV2Connection = (client: AgentContext) => V2Connection;
