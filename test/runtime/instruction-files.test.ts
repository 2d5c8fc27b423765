import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CadreOptions, RunResult } from "../../src/index.ts";
import { agentCall, startModelServer } from "../fixtures/model-server.ts";
import { createModelProject, type ModelProject } from "../fixtures/project.ts";

async function createFixture(fields: Record<string, unknown> = {}) {
  const server = await startModelServer(({ agent, turn }) =>
    agent === "lead" && turn === 0 ? [agentCall("worker", "look")] : "done",
  );
  const project = createModelProject(server);
  project.write("AGENTS.md", "Use tabs. @docs/style.md");
  project.write("docs/style.md", "Short lines.");
  writeFileSync(join(project.home, ".cadre/AGENTS.md"), "Be brief.");
  project.writeAgent("lead", {});
  project.writeAgent("worker", { tools: ["Read"], ...fields });
  return { server, project };
}

async function run(
  project: ModelProject,
  agent = "worker",
  options: CadreOptions = {},
): Promise<RunResult> {
  const cadre = await project.open(options);
  return await cadre.run({ agent, task: "look" });
}

describe("the instruction files of the user and the project", () => {
  test("are in the instructions of an agent, each marked with its path", async () => {
    const { server, project } = await createFixture();
    const { warnings } = await run(project);
    const { folder, home } = project;
    expect(warnings).toEqual([]);
    const system = server.turns[0]?.system ?? "";
    const part = system.slice(system.indexOf("<instructions"), system.indexOf("\n\n# Environment"));
    expect(part).toBe(
      [
        `<instructions file="${home}/.cadre/AGENTS.md">\nBe brief.\n</instructions>`,
        `<instructions file="${folder}/AGENTS.md">\nUse tabs. @docs/style.md\n</instructions>`,
        `<instructions file="${folder}/docs/style.md" imported-by="${folder}/AGENTS.md">\nShort lines.\n</instructions>`,
      ].join("\n\n"),
    );
    expect(system).toMatch(/^You are worker\.\s+# Instructions of the user and the project\n/);
  });

  test("are those of sub-agents too, except of those that say `instructions: false`", async () => {
    const given = await createFixture();
    await run(given.project, "lead");
    expect(given.server.turns.map(({ agent, system }) => [agent, system.includes("tabs")])).toEqual(
      [
        ["lead", true],
        ["worker", true],
        ["lead", true],
      ],
    );
    const without = await createFixture({ instructions: false });
    await run(without.project, "lead");
    expect(without.server.turns[1]?.system).toMatch(/^You are worker\.\s+# Environment/);
  });

  test("can be turned off in the configuration, by an option and by an agent in code", async () => {
    const { server, project } = await createFixture();
    await run(project, "worker", { instructions: false });
    await run(project, "quiet", {
      agents: [
        { name: "quiet", description: "x", systemPrompt: "You are quiet.", instructions: false },
      ],
    });
    project.write(".cadre/config.yaml", "instructions: false");
    await run(project, "worker", { trust: true });
    expect(server.turns.map(({ system }) => system.includes("tabs"))).toEqual([
      false,
      false,
      false,
    ]);
    // An untrusted project cannot turn off the user's own.
    await run(project);
    expect(server.turns[3]?.system).toContain("Be brief.");
  });

  test("count as they were when the run began: its journal has their text, paths and sizes", async () => {
    const { server, project } = await createFixture();
    const cadre = await project.open();
    const handle = await cadre.spawn({ agent: "worker", task: "look" });
    const { runId } = await handle.result();
    project.write("AGENTS.md", "Use spaces.");
    const step = (await handle.journal()).find(
      (event) => event.type === "step-finished" && event.key === "instructions",
    );
    expect(step).toMatchObject({
      value: {
        text: expect.stringContaining("Use tabs."),
        files: [
          { path: join(project.home, ".cadre/AGENTS.md"), bytes: 9 },
          { path: join(project.folder, "AGENTS.md"), bytes: 24 },
          {
            path: join(project.folder, "docs/style.md"),
            importedBy: join(project.folder, "AGENTS.md"),
          },
        ],
        warnings: [],
      },
    });
    const forked = await cadre.fork(runId, { at: "instructions", task: "again" });
    await forked.result();
    expect(server.turns[1]?.system).toBe(server.turns[0]?.system);
    await cadre.run({ agent: "worker", task: "look" });
    expect(server.turns[2]?.system).toContain("Use spaces.");
  });

  test("are part of what a cached result depends on", async () => {
    const { server, project } = await createFixture({ cache: true });
    await run(project);
    await run(project);
    expect(server.turns).toHaveLength(1);
    project.write("docs/style.md", "Long lines.");
    await run(project);
    expect(server.turns).toHaveLength(2);
  });

  test("cause a warning of the run where they are cut or left out", async () => {
    const { server, project } = await createFixture();
    project.write("AGENTS.md", `@gone.md\n${"Use tabs.\n".repeat(5000)}`);
    const { warnings } = await run(project);
    expect(warnings).toEqual([
      expect.stringContaining(`AGENTS.md (50009 bytes) was cut to its first`),
      expect.stringContaining("The import @gone.md"),
    ]);
    expect(server.turns[0]?.system).toContain("[Cut here:");
  });

  test("give an agent no file that its rules let it not read", async () => {
    const { server, project } = await createFixture({ tools: ["Read(src/**)"] });
    const { warnings } = await run(project);
    expect(server.turns[0]?.system).toContain("Use tabs.");
    expect(server.turns[0]?.system).not.toContain("Short lines.");
    expect(warnings).toEqual([
      expect.stringMatching(
        /^The import \S+docs\/style\.md of \S+AGENTS\.md was left out: the permi/,
      ),
    ]);
  });

  test("are those of the folder that a request names, and those above it", async () => {
    const { server, project } = await createFixture();
    project.write("docs/AGENTS.md", "Write prose.");
    const cadre = await project.open();
    await cadre.run({ agent: "worker", task: "look", cwd: "docs" });
    expect(server.turns[0]?.system).toMatch(/Use tabs[^]*Short lines[^]*Write prose/);
  });
});
