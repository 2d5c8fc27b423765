import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hang, startModelServer } from "../../fixtures/model-server.ts";
import {
  createResumedPipeline,
  playPipeline,
  prepare,
  steps,
} from "../../fixtures/pipeline/resumed-pipeline.ts";

const agentFiles = ["prompt.md"];

test.each([
  "judge at prepare::end",
  "note at task::start of a",
  "coder at task a",
  "note at task::start of b",
  "coder at task b",
  "judge at end",
])(
  "a pipeline left while it waits for the %s continues there, with its recorded parameters and prompts",
  async (wanted) => {
    let isClosed = false;
    const server = await startModelServer((turn) => {
      const { moment, reply } = playPipeline(turn);
      return moment === wanted && !isClosed ? hang : reply;
    });
    const project = createResumedPipeline(server);
    const first = await project.open({ trust: true, agentFiles });
    const { id } = await first.spawn({ agent: "prompt.md" });
    await server.hung(1);
    // The registry considers the process gone, as after a kill; test/durability tests real kills.
    await first.close({ leaveRuns: true });
    isClosed = true;
    const asked = server.turns.length;
    project.write("prompt.md", "---\nsub_agents: [nobody]\n---\nSomething else.\n");
    project.write(".cadre/agents/prepare.ts", prepare("v2"));
    // A task gets its recorded prompt again; later tasks see the current files.
    project.write("notes/n.md", "note two");
    const cadre = await project.open({ trust: true });
    const [run] = await cadre.resume(id);
    const result = await run?.result();
    expect(result).toMatchObject({
      status: "succeeded",
      text: "## a\n\ndid a\n\n## b\n\ndid b",
      output: {
        sub_agents: ["start", "prepare::end", "task::start", "task::start", "end"].map((event) => ({
          event,
        })),
      },
    });
    expect(readFileSync(join(project.folder, "effects.log"), "utf8")).toBe("v1\n");
    const family = await cadre.tree(run?.id ?? "");
    expect(family.map(({ parentStep }) => parentStep)).toEqual(steps);
    expect(family.every(({ status }) => status === "succeeded")).toBe(true);
    // Each request was sent once, except the one whose answer was lost.
    expect(server.turns).toHaveLength(7);
    expect(server.turns[asked]?.task).toBe(server.turns[asked - 1]?.task);
    const coders = server.turns.filter(({ agent }) => agent === "main");
    expect(
      coders.every(({ task }) => /Fix the lexer v1\. Noted: task::start of [ab]\.$/.test(task)),
    ).toBe(true);
    const judged = server.turns.filter(({ agent }) => agent === "judge");
    expect(judged.every(({ task }) => task.includes('"by": "v1"'))).toBe(true);
  },
);
