import type { Clock } from "../../clock.ts";
import { createTool, type Tool } from "../../tool/tool.ts";
import { createFamilyScope, type SessionPort } from "./session-scope.ts";
import type { ResultDelivery, SessionTool } from "./session-tool.ts";
import { sessionsCancel, type SessionsCancelInput } from "./sessions-cancel-tool.ts";
import { sessionsList, type SessionsListInput } from "./sessions-list-tool.ts";
import { sessionsSend, type SessionsSendInput } from "./sessions-send-tool.ts";
import { createSessionsSpawn, type SessionsSpawnInput } from "./sessions-spawn-tool.ts";
import { createSessionsWait, type SessionsWaitInput } from "./sessions-wait-tool.ts";

/** The session tools by name. */
export interface SessionTools {
  sessions_spawn: SessionTool<SessionsSpawnInput>;
  sessions_wait: SessionTool<SessionsWaitInput>;
  sessions_list: SessionTool<SessionsListInput>;
  sessions_send: SessionTool<SessionsSendInput>;
  sessions_cancel: SessionTool<SessionsCancelInput>;
}

/** Options of {@link createSessionTools}. */
export interface SessionToolsOptions {
  clock: Pick<Clock, "schedule">;
  delivery: ResultDelivery;
  /** The names of the agents that the caller may start. */
  agents: readonly string[];
}

/** Creates the session tools, without a scope. */
export function createSessionTools({ clock, delivery, agents }: SessionToolsOptions): SessionTools {
  return {
    sessions_spawn: createSessionsSpawn(agents, delivery),
    sessions_wait: createSessionsWait(clock, delivery),
    sessions_list: sessionsList,
    sessions_send: sessionsSend,
    sessions_cancel: sessionsCancel,
  };
}

/** Creates the session tools of runs. Their scope is the descendants of the calling run, which receives results automatically. */
export function createRunSessionTools(
  port: SessionPort,
  options: Omit<SessionToolsOptions, "delivery">,
): Tool[] {
  const tools = createSessionTools({ ...options, delivery: "pushed" });
  return Object.values(tools).map((tool: SessionTool<never>) => toRunTool(tool, port));
}

function toRunTool<Input>(tool: SessionTool<Input>, port: SessionPort): Tool {
  const { name, description, access, comesAfter = false, isWaiting = false } = tool;
  return createTool({
    name,
    description,
    access,
    comesAfter,
    input: tool.inputSchema,
    describe: (input) => ({ ...tool.describe(input), paths: [] }),
    async execute(input, context) {
      const scope = createFamilyScope(port, context);
      const work = tool.call(input, { scope, signal: context.signal, onRun: () => undefined });
      return await (isWaiting ? context.yieldWhile(work) : work);
    },
  });
}
