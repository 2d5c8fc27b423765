import type { SessionTool } from "../../delegate/tools/session-tool.ts";
import {
  createSessionTools,
  type SessionToolsOptions,
} from "../../delegate/tools/session-tools.ts";
import type { SessionsCancelInput } from "../../delegate/tools/sessions-cancel-tool.ts";
import type { SessionsListInput } from "../../delegate/tools/sessions-list-tool.ts";
import type { SessionsSendInput } from "../../delegate/tools/sessions-send-tool.ts";
import type { SessionsSpawnInput } from "../../delegate/tools/sessions-spawn-tool.ts";
import type { SessionsWaitInput } from "../../delegate/tools/sessions-wait-tool.ts";
import { createDelegateTool, type DelegateTool } from "./delegate-tool.ts";
import type { RootScope } from "./root-scope.ts";

/** The session tools for a caller that is not a run. */
export type OfferedSessionTools = {
  sessions_spawn: DelegateTool<SessionsSpawnInput>;
  sessions_wait: DelegateTool<SessionsWaitInput>;
  sessions_list: DelegateTool<SessionsListInput>;
  sessions_send: DelegateTool<SessionsSendInput>;
  sessions_cancel: DelegateTool<SessionsCancelInput>;
};

/** Creates the session tools of callers that are not runs. `findScope` is called for each call. */
export function offerSessionTools(
  findScope: () => Promise<RootScope>,
  options: Omit<SessionToolsOptions, "delivery">,
): OfferedSessionTools {
  const tools = createSessionTools({ ...options, delivery: "fetched" });

  function offer<Input>(tool: SessionTool<Input>): DelegateTool<Input> {
    const { title, description, inputSchema, resultSchema, access } = tool;
    return createDelegateTool({
      title,
      description,
      inputSchema,
      resultSchema,
      isReadOnly: access === "none",
      call: async (input, { signal, onRun }) =>
        await tool.call(input, { scope: await findScope(), signal, onRun }),
    });
  }

  return {
    sessions_spawn: offer(tools.sessions_spawn),
    sessions_wait: offer(tools.sessions_wait),
    sessions_list: offer(tools.sessions_list),
    sessions_send: offer(tools.sessions_send),
    sessions_cancel: offer(tools.sessions_cancel),
  };
}
