import { describe, expect, test } from "vitest";
import {
  createPipeline,
  promptFileOf as prompt,
  type SubAgent,
} from "../../fixtures/pipeline/pipeline-project.ts";

const sub_agents = ["plan", { name: "review", on: "end" }];
const plan: SubAgent = ({ coder_prompt }) => ({ coder_prompt: `${coder_prompt} Planned.` });

describe("a pipeline whose reviewer failed at `end`, when it is retried,", () => {
  test("runs only the reviewer again, and reuses the earlier work", async () => {
    let rounds = 0;
    const review: SubAgent = ({ coder_responses: [response] = [] }) => {
      rounds += 1;
      return rounds === 1 ? { error_msg: "no luck" } : { agent_result: `read: ${response?.text}` };
    };
    const { run, cadre, server, calls } = await createPipeline(prompt({ sub_agents }), {
      agents: { plan, review },
    });
    const failed = await run();
    expect(failed).toMatchObject({ status: "failed", text: "done" });
    const retried = await cadre.retry(failed.runId);
    const result = await retried.result();
    expect(result).toMatchObject({
      status: "succeeded",
      text: "done",
      output: {
        responses: [{ text: "done" }],
        sub_agents: [{ event: "start" }, { event: "end", agent_result: "read: done" }],
      },
    });
    expect(result.warnings).toEqual([
      `These steps were reused from the run ${failed.runId}, and not repeated: pipeline/0/0, pipeline/task-0/coder. Start a new run of the prompt file to repeat everything.`,
    ]);
    expect(calls.map(({ event }) => event)).toEqual(["start", "end", "end"]);
    expect(server.turns).toHaveLength(1);
    const family = await cadre.tree(retried.id);
    expect(family.map(({ parentStep }) => parentStep)).toEqual([null, "pipeline/1/1"]);
  });

  test("runs the reviewer's current file, without asking about the change", async () => {
    const reviewer = (code: string): string => `# Output\n\n\`\`\`lua\n${code}\n\`\`\`\n`;
    const file = "prompts/review.aip";
    const { run, cadre, project } = await createPipeline(
      prompt({ sub_agents: [{ name: "review.aip", on: "end" }] }),
      { files: { [file]: reviewer('error("no luck")') }, options: { trust: true } },
    );
    const failed = await run();
    expect(failed).toMatchObject({ status: "failed", failure: { code: "pipeline-halted" } });
    project.write(file, reviewer("return { agent_result = #input.coder_responses }"));
    expect(await (await cadre.retry(failed.runId)).result()).toMatchObject({
      status: "succeeded",
      output: { sub_agents: [{ event: "end", agent_result: 1 }] },
    });
  });

  test("fails again as often as the reviewer does, without other work", async () => {
    const { run, cadre, server, calls } = await createPipeline(prompt({ sub_agents }), {
      agents: { plan, review: () => ({ error_msg: "no luck" }) },
    });
    const first = await run();
    const second = await (await cadre.retry(first.runId)).result();
    const third = await (await cadre.retry(second.runId)).result();
    const message = "Sub-agent [review] failed: no luck";
    expect(third).toMatchObject({ status: "failed", text: "done", failure: { message } });
    expect(calls.map(({ event }) => event)).toEqual(["start", "end", "end", "end"]);
    expect(server.turns).toHaveLength(1);
  });
});

test("a pipeline whose second task failed repeats that task at a retry, with the current files", async () => {
  const received: string[] = [];
  const coder = {
    name: "coder",
    description: "d",
    run({ task }: { task: string }) {
      received.push(task);
      if (task.includes("two") && task.includes("before")) throw new Error("no luck");
      return "done";
    },
  };
  const tasks = { inputs: ["one", "two"], input_concurrency: 1, context_globs: ["a.txt"] };
  const { run, cadre, project } = await createPipeline(prompt({ agent: "coder", ...tasks }), {
    files: { "a.txt": "before" },
    options: { agents: [coder] },
  });
  const failed = await run();
  expect(failed).toMatchObject({ status: "failed", output: { responses: [{ input: "one" }] } });
  project.write("a.txt", "after");
  expect(await (await cadre.retry(failed.runId)).result()).toMatchObject({
    status: "succeeded",
    output: { responses: [{ input: "one" }, { input: "two" }] },
  });
  expect(received).toEqual([
    expect.stringMatching(/before[^]*one/),
    expect.stringMatching(/before[^]*two/),
    expect.stringMatching(/after[^]*two/),
  ]);
});

describe("a pipeline that succeeded", () => {
  test("is repeated from the dispatch of `end` by a fork, with its current reviewer", async () => {
    let round = 0;
    const review: SubAgent = () => ({ agent_result: `round ${(round += 1)}` });
    const { run, cadre, server, calls } = await createPipeline(prompt({ sub_agents }), {
      agents: { plan, review },
    });
    const { runId } = await run();
    const fork = await cadre.fork(runId, { at: "pipeline/1" });
    expect(await fork.result()).toMatchObject({
      status: "succeeded",
      text: "done",
      output: { sub_agents: [{}, { event: "end", agent_result: "round 2" }] },
      warnings: [],
    });
    expect(calls.map(({ event }) => event)).toEqual(["start", "end", "end"]);
    expect(server.turns).toHaveLength(1);
    await expect(cadre.fork(runId, { at: "pipeline/9" })).rejects.toThrow(
      "has no step pipeline/9. It has: pipeline/0, pipeline/0/0, pipeline/tasks, pipeline/task-0/0, pipeline/task-0/prompt, pipeline/task-0/coder, pipeline/task-0/1, pipeline/1, pipeline/1/1.",
    );
  });

  test("cannot get a new task by a fork, because it is a program", async () => {
    const { run, cadre } = await createPipeline(prompt({ sub_agents: [] }));
    const { runId } = await run();
    const forking = cadre.fork(runId, { at: "pipeline/0", task: "in French" });
    await expect(forking).rejects.toThrow("prompts/prompt.md is a program");
  });
});

test("a failed reviewer is retried alone by its own run, with its earlier input", async () => {
  let rounds = 0;
  const review: SubAgent = ({ coder_responses: [response] = [] }) => {
    rounds += 1;
    if (rounds === 1) throw new Error("no luck");
    return { agent_result: `read: ${response?.text}` };
  };
  const { run, cadre, calls } = await createPipeline(prompt({ sub_agents }), {
    agents: { plan, review },
  });
  const { runId } = await run();
  const family = await cadre.tree(runId);
  const reviewer = family.find(({ agent }) => agent === "review");
  const retried = await cadre.retry(reviewer?.id ?? "");
  expect(await retried.result()).toMatchObject({
    status: "succeeded",
    output: { agent_result: "read: done" },
  });
  expect(calls.map(({ event }) => event)).toEqual(["start", "end", "end"]);
});
