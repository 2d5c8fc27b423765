import { createKillableProject, type KillableProject } from "./killed-project.ts";
import type { FamilyServer } from "./model-server.ts";

const agentFile = (name: string): string =>
  `---\nname: ${name}\ndescription: plays ${name}\n---\nYou are ${name}.\n`;

/** Creates a project whose agents `server` plays. */
export async function createPlayedFamily({ baseUrl }: FamilyServer): Promise<KillableProject> {
  return await createKillableProject({
    execution: {
      options: { mode: "auto", model: "mock:mock" },
      start: { agent: "main", task: "go" },
    },
    config: { models: { endpoints: { mock: { baseUrl } } }, sandbox: "off" },
    files: {
      "input.txt": "some input\n",
      ".cadre/agents/worker.md": agentFile("worker"),
      ".cadre/agents/lead.md": agentFile("lead"),
    },
  });
}
