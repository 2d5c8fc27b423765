import type { Tool } from "../../tool/tool.ts";
import { createBoardAddTool } from "./board-add-tool.ts";
import { createBoardClaimTool } from "./board-claim-tool.ts";
import { createBoardListTool } from "./board-list-tool.ts";
import { createBoardUpdateTool } from "./board-update-tool.ts";
import type { TeamPort } from "./team-port.ts";
import { createTeamSendTool } from "./team-send-tool.ts";
import { createTeamWaitTool } from "./team-wait-tool.ts";

/** Creates the tools of team members. */
export function createTeamTools(port: TeamPort): Tool[] {
  return [
    createTeamSendTool(port),
    createTeamWaitTool(port),
    createBoardAddTool(port),
    createBoardListTool(port),
    createBoardClaimTool(port),
    createBoardUpdateTool(port),
  ];
}
