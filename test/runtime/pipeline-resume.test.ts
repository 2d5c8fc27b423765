import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { killAfterEvents, killWhileAsking } from "../fixtures/kill-agent-file.ts";
import { hang, type ModelServer, startModelServer } from "../fixtures/model-server.ts";
import { createProject, type Project } from "../fixtures/project.ts";

const prompt = `---
sub_agents:
  - prepare
  - { name: judge, on: [prepare::end, end] }
inputs: [a, b]
input_concurrency: 1
context_globs: ["notes/*.md"]
---
Fix the parser.
`;

/** Its effects are counted; after the crash there is another version of it. */
const prepare = (version: string): string => `
import { appendFileSync } from "node:fs";
export default {
  name: "prepare",
  description: "d",
  run({ coder_params }) {
    appendFileSync("effects.log", "${version}\\n");
    const coder_prompt = "Fix the lexer ${version}.";
    return { coder_prompt, coder_params: { ...coder_params, by: "${version}" }, emit_events: ["prepare::end"] };
  },
};`;

function createPipelineProject(server: ModelServer): Project {
  const project = createProject(server);
  project.write("prompt.md", prompt);
  project.write("notes/n.md", "note one");
  project.write(".cadre/agents/prepare.ts", prepare("v1"));
  project.writeAgent("judge");
  return project;
}

test.each(["judge at prepare::end", "main at task a", "main at task b", "judge at end"])(
  "a pipeline killed while it waits for the %s goes on there, with parameters and prompts as they were",
  async (moment) => {
    let isKilled = false;
    const server = await startModelServer(({ agent, task }) => {
      const event = /"event": "([\w:]+)"/.exec(task)?.[1];
      const about = /\n([ab])\n<\/input/.exec(task)?.[1];
      const at = agent === "judge" ? `judge at ${event}` : `main at task ${about}`;
      if (at === moment && !isKilled) return hang;
      const output = { agent_result: event };
      return agent === "judge" ? [{ tool: "final_output", input: output }] : `did ${about}`;
    });
    const project = createPipelineProject(server);
    await killWhileAsking(project, server, "prompt.md");
    isKilled = true;
    const asked = server.turns.length;
    project.write("prompt.md", "---\nsub_agents: [nobody]\n---\nSomething else.\n");
    project.write(".cadre/agents/prepare.ts", prepare("v2"));
    // What a task was told before the crash it is told again; what comes later sees the files as they are.
    project.write("notes/n.md", "note two");
    const cadre = await project.open({ trust: true });
    const [run] = await cadre.resume();
    const result = await run?.result();
    expect(result).toMatchObject({
      status: "succeeded",
      text: "## a\n\ndid a\n\n## b\n\ndid b",
      output: { sub_agents: [{ event: "start" }, { event: "prepare::end" }, { event: "end" }] },
    });
    expect(readFileSync(join(project.folder, "effects.log"), "utf8")).toBe("v1\n");
    const family = await cadre.tree(run?.id ?? "");
    expect(family.map(({ label }) => label)).toEqual([
      null,
      "start",
      "prepare::end",
      "coder",
      "coder 2",
      "end",
    ]);
    expect(family.every(({ status }) => status === "succeeded")).toBe(true);
    // Each was asked once, but for the one whose answer was lost.
    expect(server.turns).toHaveLength(5);
    expect(server.turns[asked]?.task).toBe(server.turns[asked - 1]?.task);
    const coders = server.turns.filter(({ agent }) => agent === "main");
    expect(coders.every(({ task }) => task.endsWith("Fix the lexer v1."))).toBe(true);
    const judged = server.turns.filter(({ agent }) => agent === "judge");
    expect(judged.every(({ task }) => task.includes('"by": "v1"'))).toBe(true);
  },
  60_000,
);

const isLong = process.env["CADRE_LONG_TESTS"] === "1";
/** The events of an execution that nobody kills. */
const lastEvent = 24;
const moments = Array.from({ length: lastEvent - 1 }, (_, index) => index + 1);

test.each(isLong ? moments : [2, 14])(
  "a pipeline killed after event %i runs each of its agents once",
  async (events) => {
    const server = await startModelServer(({ agent }) =>
      agent === "judge" ? [{ tool: "final_output", input: {} }] : "done",
    );
    const project = createPipelineProject(server);
    expect(await killAfterEvents(project, "prompt.md", events)).toBe("SIGKILL");
    const cadre = await project.open({ trust: true });
    const [run] = await cadre.resume();
    expect(await run?.result()).toMatchObject({ status: "succeeded" });
    const family = await cadre.tree(run?.id ?? "");
    const steps = family.map(({ parentStep }) => parentStep);
    expect(steps).toEqual([
      null,
      "pipeline/0/0",
      "pipeline/1/1",
      "pipeline/task-0/coder",
      "pipeline/task-1/coder",
      "pipeline/2/1",
    ]);
    expect(family.every(({ status }) => status === "succeeded")).toBe(true);
  },
  60_000,
);
