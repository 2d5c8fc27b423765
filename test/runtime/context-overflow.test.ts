import type { LanguageModelV4 } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import type { Cadre, CadreOptions } from "../../src/index.ts";
import { createScriptedModel, type Script } from "../../src/model/script/scripted-model.ts";
import { createModelProject, type ModelProject } from "../fixtures/project.ts";

/** Creates a script that plays Claude Sonnet 4.5, with a context of 200,000 tokens. `asked` returns the number of its requests. */
function createClaude(script: Script): { model: LanguageModelV4; asked: () => number } {
  let asked = 0;
  const model = createScriptedModel((conversation) => {
    asked += 1;
    return script(conversation);
  });
  return {
    model: { ...model, provider: "anthropic.messages", modelId: "claude-sonnet-4-5" },
    asked: () => asked,
  };
}

const worker = { name: "worker", description: "works", systemPrompt: "Work.", tools: [] };

async function open(
  script: Script,
  options: CadreOptions = {},
): Promise<{ cadre: Cadre; project: ModelProject; asked: () => number }> {
  const { model, asked } = createClaude(script);
  const project = createModelProject();
  const cadre = await project.open({ model, agents: [worker], ...options });
  return { cadre, project, asked };
}

/** Returns a text of `kilobytes` without repetition. */
function longText(kilobytes: number): string {
  const lines = Array.from({ length: kilobytes * 16 }, (_, index) =>
    String(index).padStart(63, "."),
  );
  return `${lines.join("\n")}\n`;
}

describe("a task", () => {
  test("of 600 KB reaches a model of 200,000 tokens whole, and its cost is known", async () => {
    const task = longText(600);
    let received = "";
    const { cadre } = await open((conversation) => {
      received = conversation.task;
      return { text: "done", usage: { inputTokens: 170_000, outputTokens: 1000 } };
    });
    const run = await cadre.spawn({ agent: "worker", task, budget: { usd: 5 } });
    const result = await run.result();
    expect(result).toMatchObject({ status: "succeeded", warnings: [] });
    expect(received).toBe(task);
    expect(result.cost).toBeCloseTo((170_000 * 3 + 1000 * 15) / 1e6, 6);
    expect((await run.state()).model).toBe("anthropic:claude-sonnet-4-5");
  });

  test("that is too long for the model fails the run, which says by how much and what to do", async () => {
    const { cadre, asked } = await open(() => ({ text: "done" }));
    const run = await cadre.spawn({ agent: "worker", task: longText(1000) });
    const { status, failure } = await run.result();
    expect(asked()).toBe(0);
    expect({ status, failure }).toMatchObject({
      status: "failed",
      failure: {
        code: "limit-exceeded",
        details: {
          kind: "context-overflow",
          model: "anthropic:claude-sonnet-4-5",
          contextTokens: 200_000,
          tokens: expect.any(Number),
        },
      },
    });
    const { message = "" } = failure ?? {};
    expect(message).toMatch(
      /It has about 29\d,\d{3} tokens, and the model takes 200,000: the task 29\d,\d{3}, the instructions/,
    );
    expect(message).toMatch(/Leave out about 9\d,\d{3} tokens\. Shorten the task/);
    expect(message).toContain(
      "Models that take it: anthropic:claude-sonnet-5-5 (1,000,000), openai:",
    );
    expect(message).not.toContain("models.contextTokens");
  });

  test("is compared with the context size that the user configured", async () => {
    const task = longText(120);
    const script: Script = () => ({ text: "done" });
    const qwen = { ...createScriptedModel(script), provider: "lab.chat", modelId: "qwen" };
    const failing = (await open(script, { model: qwen })).cadre;
    const { failure } = await (await failing.spawn({ agent: "worker", task })).result();
    expect(failure?.message).toContain("32,768 tokens are assumed. Set it under models.context");
    const { cadre } = await open(script, { model: qwen, contextTokens: 50_000 });
    const run = await cadre.spawn({ agent: "worker", task });
    expect(await run.result()).toMatchObject({ status: "succeeded" });
  });

  test("that only the provider finds too long fails the run in the same way", async () => {
    const { cadre, asked } = await open(() => {
      throw Object.assign(new Error("prompt is too long: 213462 tokens > 200000 maximum"), {
        statusCode: 400,
      });
    });
    const { failure } = await (await cadre.spawn({ agent: "worker", task: "go" })).result();
    expect(asked()).toBe(1);
    expect(failure).toMatchObject({ code: "limit-exceeded" });
    expect(failure?.message).toContain("213462 tokens > 200000 maximum");
  });

  test("given to a program that calls a model is not shortened either", async () => {
    const asker = {
      name: "asker",
      description: "asks",
      run: async (input: { task: string }, context: { ask: (q: object) => Promise<unknown> }) => {
        await context.ask({ prompt: input.task });
        return "asked";
      },
    };
    const { cadre, asked } = await open(() => ({ text: "yes" }), { agents: [asker as never] });
    const run = await cadre.spawn({ agent: "asker", task: longText(1000) });
    expect((await run.result()).failure).toMatchObject({ code: "limit-exceeded" });
    expect(asked()).toBe(0);
  });
});

describe("a file set of a pipeline", () => {
  const prompt = "---\ncontext_globs: [src/**]\nagent: worker\n---\nReview it.\n";

  function writeFiles({ write }: ModelProject, count: number): void {
    for (let number = 1; number <= count; number += 1) {
      write(`src/part-${number}.txt`, longText(number === 1 ? 200 : 180));
    }
    write("prompt.md", prompt);
  }

  test("of 560 KB reaches a model of 200,000 tokens whole", async () => {
    let received = "";
    const { cadre, project } = await open(
      ({ task }) => {
        received = task;
        return { text: "reviewed" };
      },
      { agentFiles: ["prompt.md"] },
    );
    writeFiles(project, 3);
    const run = await cadre.spawn({ agent: "prompt.md" });
    expect(await run.result()).toMatchObject({ status: "succeeded", text: "reviewed" });
    expect(received).toContain(longText(200));
    expect(received.length).toBeGreaterThan(560 * 1024);
  });

  test("that is too long for the model fails the pipeline, which names the largest files", async () => {
    const { cadre, project, asked } = await open(() => ({ text: "reviewed" }), {
      agentFiles: ["prompt.md"],
    });
    writeFiles(project, 5);
    const { failure } = await (await cadre.spawn({ agent: "prompt.md" })).result();
    expect(asked()).toBe(0);
    expect(failure).toMatchObject({
      code: "limit-exceeded",
      details: { largestFiles: [{ path: "src/part-1.txt" }, {}, {}, {}, {}] },
    });
    expect(failure?.message).toMatch(/The largest files .*: src\/part-1\.txt \(58,\d{3}\)/);
    expect(failure?.message).toContain("Exclude some with `!PATH` in the globs");
  });
});
