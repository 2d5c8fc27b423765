import { expect, it } from "vitest";
import { agentFile, cadre, createProject } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";
import { newSchema, postgresUrl } from "../../fixtures/postgres/test-schema.ts";

const script = `scripts:
  - when: { turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "touch made" } }] }
  - reply: { text: "done" }
`;

it.skipIf(postgresUrl === undefined)(
  "a registry in PostgreSQL brings a question to another process, and its answer back",
  async () => {
    const project = createProject({
      "script.yaml": script,
      ".cadre/agents/asker.md": agentFile("asker"),
    });
    Object.assign(project.environment, {
      CADRE_REGISTRY_URL: postgresUrl ?? "",
      CADRE_REGISTRY_SCHEMA: newSchema(),
    });
    expect((await cadre(project, ["db", "migrate"])).code).toBe(0);
    const asking = ["--mode", "ask", "--sandbox", "off", "--wait-for-answers"];
    const run = start(project, ["run", "asker", "go", ...asking]);
    await run.printed("needs approval");
    const { questions } = JSON.parse((await cadre(project, ["questions", "--json"])).stdout) as {
      questions: { id: string }[];
    };
    expect((await cadre(project, ["answer", questions[0]?.id ?? "", "yes"])).code).toBe(0);
    expect((await run.ended).code).toBe(0);
  },
);
