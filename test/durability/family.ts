import { createProject, type Project } from "./killed-project.ts";
import type { ModelServer } from "./model-server.ts";

const agentFile = (name: string): string =>
  `---\nname: ${name}\ndescription: plays ${name}\n---\nYou are ${name}.\n`;

/** Creates a project whose agents `server` plays. */
export async function createFamily({ baseUrl }: ModelServer): Promise<Project> {
  return await createProject({
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
