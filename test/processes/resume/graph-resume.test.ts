import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startModelServer } from "../../fixtures/model-server.ts";
import { processEnvironment } from "../../fixtures/process-environment.ts";
import { createModelProject, type ModelProject } from "../../fixtures/project.ts";

const graph = `runs:
  - { label: a, agent: worker, task: a }
  - { label: b, agent: worker, task: b, dependsOn: a, includeDependencyResult: true }
  - { label: c, agent: lead, task: c, dependsOn: a }
  - { label: d, agent: worker, task: d, dependsOn: [b, c], sharedContext: { $a: reference } }
`;

async function runUntilKilled({ folder, home }: ModelProject, killAfter: number): Promise<unknown> {
  const script = join(import.meta.dirname, "../../fixtures/delegation/graph-process.ts");
  const env = processEnvironment(home);
  const child = spawn(process.execPath, [script, `${killAfter}`], {
    cwd: folder,
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [, signal] = (await once(child, "exit")) as [number | null, string | null];
  return signal;
}

describe("a graph whose process was killed", () => {
  test.each([5, 14, 23])(
    "after %i events is finished by another: each run once, with the results of its dependencies",
    async (killAfter) => {
      const server = await startModelServer(({ agent, task, turn }) => {
        if (agent !== "lead" || turn > 0) return `did: ${task.split("\n").at(-1)}`;
        const inner = { agentId: "worker", task: ["x", "y"], label: "inner" };
        return [{ tool: "sessions_spawn", input: inner }];
      });
      const project = createModelProject(server);
      for (const name of ["worker", "lead"]) project.writeAgent(name);
      project.write("graph.yaml", graph);
      expect(await runUntilKilled(project, killAfter)).toBe("SIGKILL");
      const cadre = await project.open();
      const [run] = await cadre.resume();
      const result = await run?.result();
      expect(result).toMatchObject({ status: "succeeded" });
      const family = await cadre.tree(run?.id ?? "");
      const labels = new Set(family.map(({ label }) => label));
      expect(family).toHaveLength(7);
      expect(labels).toEqual(new Set(["a", "b", "c", "d", "inner-1", "inner-2", null]));
      expect(family.every(({ status }) => status === "succeeded")).toBe(true);
      const asked = server.turns.find(({ task }) => task.endsWith("\nb"));
      expect(asked?.task).toBe("[Previous step result]:\ndid: a\n\n[Current task]:\nb");
      expect(server.turns.find(({ task }) => task === "d")?.system).toContain('- a: "did: a"');
    },
  );
});
