import { describe, expect, test } from "vitest";
import type { Cadre, RunResult } from "../../../src/index.ts";
import type { RunOverview } from "../../../src/host.ts";
import {
  agentCall,
  hang,
  type ServerReply,
  type ServerTurn,
  startModelServer,
} from "../../fixtures/model-server.ts";
import { createModelProject, type ModelProject } from "../../fixtures/project.ts";

/** Each reply of the server has 10 input and 5 output tokens, so turns and tokens are proportional. */
async function open(
  script: (turn: ServerTurn) => ServerReply | Promise<ServerReply>,
): Promise<{ cadre: Cadre; project: ModelProject; hung: (count: number) => Promise<void> }> {
  const server = await startModelServer(script);
  const project = createModelProject(server);
  project.writeAgent("worker");
  project.writeAgent("lead");
  return { project, cadre: await project.open(), hung: server.hung };
}

/** `main` calls `lead`, which calls `worker` twice: 2, 3, 1 and 1 turns, and 3 tool calls. */
function delegate({ agent, turn }: ServerTurn): ServerReply {
  if (agent === "main" && turn === 0) return [agentCall("lead", "go")];
  if (agent === "lead" && turn < 2) return [agentCall("worker", turn === 0 ? "one" : "two")];
  return "done";
}

/** Does the same, but the second `worker` never answers: 1, 2 and 1 turns. */
function stall(turn: ServerTurn): ServerReply {
  return turn.task === "two" ? hang : delegate(turn);
}

const ofMain = {
  runs: 4,
  turns: 7,
  toolCalls: 3,
  usage: { inputTokens: 70, outputTokens: 35 },
  own: { turns: 2, toolCalls: 1, usage: { inputTokens: 20, outputTokens: 10 } },
};
const ofLead = { runs: 3, turns: 5, toolCalls: 2, own: { turns: 3, toolCalls: 2 } };
const ofWorker = { runs: 1, turns: 1, toolCalls: 0, own: { turns: 1 } };

describe("the figures of a run include those of its descendants", () => {
  test("in its result, its state, lists and trees, and in the event of its end", async () => {
    const { cadre } = await open(delegate);
    const run = await cadre.spawn({ agent: "main", task: "go" });
    const result = await run.result();
    expect(result).toMatchObject(ofMain);
    expect(await run.state()).toMatchObject({ ...ofMain, result: ofMain });
    expect((await run.journal()).at(-1)).toMatchObject({ type: "run-finished", result });
    expect(await cadre.tree(run.id)).toMatchObject([ofMain, ofLead, ofWorker, ofWorker]);
    expect(await cadre.runs({ rootsOnly: true })).toMatchObject([ofMain]);
    expect(await cadre.runs({ agent: "lead" })).toMatchObject([ofLead]);
    const [, lead] = await cadre.tree(run.id);
    expect(await (await cadre.find(lead?.id ?? "")).result()).toMatchObject(ofLead);
  });

  test("in results that a program gets from the delegate tools", async () => {
    const { cadre } = await open(delegate);
    const { agent, sessions_list: list } = await cadre.tools();
    const { data } = await agent.call({ type: "lead", prompt: "go" });
    expect(data).toMatchObject(ofLead);
    expect((await list.call({})).data).toMatchObject({
      runs: [ofLead, ofWorker, ofWorker].map(({ turns }) => ({ turns })),
    });
  });

  test("while it is active", async () => {
    const { cadre, hung } = await open(stall);
    const run = await cadre.spawn({ agent: "main", task: "go" });
    await hung(1);
    const [listed] = await cadre.runs({ rootsOnly: true });
    expect(listed).toMatchObject({ status: "running", runs: 4, turns: 4, own: { turns: 1 } });
    expect(await run.state()).toMatchObject({ turns: 4, usage: { inputTokens: 40 } });
  });

  test("for graphs and pipelines, which call no model themselves", async () => {
    const { cadre, project } = await open(() => "done");
    const each = ["a", "b", "c"].map((label) => `  - { label: ${label}, agent: worker, task: x }`);
    project.write("release.yaml", `runs:\n${each.join("\n")}\n`);
    const graph = await (await cadre.spawnGraph("release.yaml")).result();
    expect(graph).toMatchObject({ runs: 4, turns: 3, own: { turns: 0, cost: 0 } });
    project.write("fix.md", "---\ninputs: [one, two]\n---\nFix it.\n");
    const files = await project.open({ agentFiles: ["fix.md"] });
    const pipeline = await (await files.spawn({ agent: "fix.md" })).result();
    expect(pipeline).toMatchObject({ runs: 3, turns: 2, own: { turns: 0 } });
  });

  test("also when a detached run continues after its end", async () => {
    const go = Promise.withResolvers<void>();
    const { cadre } = await open(async ({ agent, turn }) => {
      if (agent === "worker") await go.promise;
      if (agent === "worker" || turn > 0) return "done";
      return [{ tool: "sessions_spawn", input: { agentId: "worker", task: "x", detach: true } }];
    });
    const run = await cadre.spawn({ agent: "main", task: "go" });
    expect(await run.result()).toMatchObject({ runs: 2, turns: 2 });
    go.resolve();
    await cadre.idle();
    const took = { runs: 2, turns: 3, own: { turns: 2 } };
    expect(await run.state()).toMatchObject({ ...took, result: took });
    expect(await run.result()).toMatchObject(took);
  });
});

test("a process that only reads gets the same figures as the one that executes", async () => {
  const { cadre, project, hung } = await open(stall);
  const run = await cadre.spawn({ agent: "main", task: "go" });
  await hung(1);
  const [watcher, known] = [await project.open(), await run.state()];
  const figures = ({ runs, turns, toolCalls, usage, cost, own }: RunOverview | RunResult) =>
    JSON.stringify({ runs, turns, toolCalls, usage, cost, own });
  const [seen] = await watcher.runs({ rootsOnly: true });
  expect(seen && figures(seen)).toBe(figures(known));
});
