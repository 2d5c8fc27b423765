import type { Clock } from "../clock.ts";
import type { Tool } from "../tool/tool.ts";
import { createContextGetTool } from "./context-get-tool.ts";
import type { SessionPort } from "./session-scope.ts";
import { createSessionsCancelTool } from "./sessions-cancel-tool.ts";
import { createSessionsListTool } from "./sessions-list-tool.ts";
import { createSessionsSendTool } from "./sessions-send-tool.ts";
import { createSessionsSpawnTool } from "./sessions-spawn-tool.ts";
import { createSessionsWaitTool } from "./sessions-wait-tool.ts";

/** The session tools, for a run that may delegate to `agents`. */
export function createSessionTools(
  port: SessionPort,
  clock: Pick<Clock, "schedule">,
  agents: readonly string[],
): Tool[] {
  return [
    createSessionsSpawnTool(port, agents),
    createSessionsWaitTool(port, clock),
    createSessionsListTool(port),
    createSessionsSendTool(port),
    createSessionsCancelTool(port),
    createContextGetTool(port),
  ];
}
