import { describe, expect, test } from "vitest";
import { createFakePort, type FakeAgent } from "../../test/fixtures/pipeline/pipeline-port.ts";
import { runPrompt, traceOf } from "../../test/fixtures/pipeline/pipeline-run.ts";

const once: FakeAgent = ({ coder_redo_count: count }) => ({ coder_redo: count === undefined });

describe("an agent at `end` that requests a redo", () => {
  test("restarts the whole pipeline with the original prompt", async () => {
    let answers = 0;
    const port = createFakePort(
      {
        a: () => ({ coder_params: { mine: 2 }, coder_prompt: "Changed." }),
        b: ({ coder_redo_count: count }) => ({ coder_redo: count === undefined }),
      },
      { coder: () => ({ text: `answer ${++answers}`, files_changed: [`f${answers}`] }) },
    );
    const params = { sub_agents: ["a", { name: "b", on: "end" }], mine: 1 };
    const result = await runPrompt(port, params);
    expect(traceOf(port)).toEqual(["start:a", "coder", "end:b", "start:a", "coder", "end:b"]);
    expect(result).toMatchObject({
      text: "answer 2",
      responses: [{ text: "answer 1" }, { text: "answer 2" }],
      files_changed: ["f1", "f2"],
      failure: null,
      warnings: [],
    });
    expect(result.history).toHaveLength(4);
    expect(port.calls[3]).toMatchObject({
      key: "pipeline/redo-1/0/0",
      input: { coder_prompt: "Do it.", coder_params: { mine: 1 }, coder_redo_count: 1 },
    });
    // Answers of earlier rounds do not count.
    const [, , , , , last] = port.calls;
    expect(last).toMatchObject({ input: { coder_responses: [{ text: "answer 2" }] } });
  });

  test("gets the recorded results when the pipeline resumes", async () => {
    const params = { sub_agents: [{ name: "b", on: "end" }], inputs: ["x", "y"] };
    const port = createFakePort({ b: once });
    const first = await runPrompt(port, params);
    const again = createFakePort({}, { journal: port.journal });
    expect(await runPrompt(again, params)).toEqual(first);
    expect(again.calls).toEqual([]);
    expect(first.responses).toHaveLength(4);
  });

  test("is stopped after too many rounds, and no answer is lost", async () => {
    const port = createFakePort({ b: () => ({ coder_redo: true }) });
    const { failure, responses, text } = await runPrompt(port, {
      sub_agents: [{ name: "b", on: "end" }],
    });
    expect(failure).toMatchObject({ code: "pipeline-halted" });
    expect(failure?.message).toMatch(/redone at most 20 times/);
    expect(responses).toHaveLength(21);
    expect(text).toBe("done");
  });

  test("keeps the earlier answers when the next round fails", async () => {
    const port = createFakePort({
      a: ({ coder_redo_count: count }) => ({ success: count === undefined }),
      b: once,
    });
    const params = { sub_agents: ["a", { name: "b", on: "end" }] };
    const { failure, responses, text } = await runPrompt(port, params);
    expect(failure).toMatchObject({ code: "pipeline-halted" });
    expect([text, responses.length]).toEqual(["done", 1]);
  });

  test("causes a warning before the end, and an error for a value that is not a boolean", async () => {
    const port = createFakePort({ a: () => ({ coder_redo: true }) });
    const early = await runPrompt(port, { sub_agents: ["a"] });
    expect(early.warnings).toEqual([expect.stringMatching(/only has an effect at `end`/)]);
    expect(early.responses).toHaveLength(1);
    const wrong = createFakePort({ a: () => ({ coder_redo: "yes" }) });
    const { failure } = await runPrompt(wrong, { sub_agents: ["a"] });
    expect(failure?.message).toContain("field `coder_redo`: expected true or false");
  });
});
