import { describe, expect, test } from "vitest";
import { createFakePort, type FakeAgent } from "../../test/fixtures/pipeline/pipeline-port.ts";
import { runPrompt, traceOf, workspaceOf } from "../../test/fixtures/pipeline/pipeline-run.ts";
import type { CoderRun } from "./sub-agent/port.ts";

const nothing: FakeAgent = () => undefined;
const all = { name: "all", on: ["start", "task::start", "task::end", "end"] };

describe("tasks", () => {
  test("are one per input, each with its own events", async () => {
    const port = createFakePort(
      { all: nothing },
      { coder: (prompt) => ({ text: prompt.includes("first") ? "1" : "2", files_changed: ["x"] }) },
    );
    const params = { sub_agents: [all], inputs: ["first", { b: 2 }], input_concurrency: 1 };
    const result = await runPrompt(port, params);
    expect(traceOf(port)).toEqual([
      "start:all",
      "task::start:all",
      "coder",
      "task::end:all",
      "task::start:all",
      "coder",
      "task::end:all",
      "end:all",
    ]);
    expect(result).toMatchObject({
      text: '## first\n\n1\n\n## {"b":2}\n\n2',
      files_changed: ["x"],
      responses: [{ input: "first" }, { input: { b: 2 } }],
    });
    expect(port.calls.at(-1)).toMatchObject({
      input: {
        coder_responses: [{ text: "1" }, { text: "2" }],
        sub_agents_prev: [{}, {}, {}, {}, {}],
      },
    });
    expect(port.calls[3]).toMatchObject({
      input: { coder_responses: [{ text: "1" }], coder_task: { index: 0, input: "first" } },
    });
  });

  test("are one per file with its content, after the inputs", async () => {
    const workspace = workspaceOf({ "src/b.ts": "let b;", "src/a.ts": "let a;", "c.md": "" });
    const port = createFakePort({});
    const params = { inputs: ["first"], input_globs: ["src/*.ts"], input_concurrency: 1 };
    const { responses } = await runPrompt(port, params, { workspace });
    expect(responses.map(({ input }) => input)).toEqual(["first", "src/a.ts", "src/b.ts"]);
    expect(port.calls[1]).toHaveProperty(
      "prompt",
      expect.stringMatching(/<input.*>\n<file path="src\/a.ts".*>\nlet a;\n/),
    );
  });

  test("are one per list of globs with all its files, in the order of the globs", async () => {
    const workspace = workspaceOf({
      "src/b.ts": "let b;",
      "src/a.ts": "let a;",
      "c.css": "c",
      "d.css": "d",
    });
    const port = createFakePort({});
    const params = {
      working_globs: [["*.css", "src/b.ts"], "src/*.ts", "!d.css", ["none/*"]],
      input_concurrency: 1,
    };
    const { responses, warnings } = await runPrompt(port, params, { workspace });
    expect(responses.map(({ input }) => input)).toEqual([
      ["c.css", "src/b.ts"],
      "src/a.ts",
      "src/b.ts",
    ]);
    expect(warnings).toEqual([expect.stringContaining("`none/*` matches no file")]);
    expect(port.calls[0]).toHaveProperty(
      "prompt",
      expect.stringMatching(
        /<input.*>\n<file path="c.css".*>\nc\n<.*>\n<file path="src\/b.ts".*>\nlet b;\n/,
      ),
    );
    const tight = { ...params, max_files_size_kb: 0.01 };
    const { failure } = await runPrompt(createFakePort({}), tight, { workspace });
    expect(failure?.message).toMatch(
      /^The input c.css cannot be given to the coder: the total size/,
    );
  });

  test("have their own state: changes by their agents affect neither other tasks nor end", async () => {
    const port = createFakePort({
      all: ({ event, coder_task, coder_prompt }) =>
        event === "task::start"
          ? {
              coder_prompt: `${coder_prompt} For ${JSON.stringify(coder_task?.input)}.`,
              sub_agents_next: coder_task?.index === 0 ? [] : null,
              agent_result: coder_task?.index ?? null,
            }
          : null,
    });
    const params = { sub_agents: [all], inputs: ["x", "y"], input_concurrency: 1 };
    await runPrompt(port, params);
    expect(traceOf(port)).toEqual([
      "start:all",
      "task::start:all",
      "coder",
      "task::start:all",
      "coder",
      "task::end:all",
      "end:all",
    ]);
    const prompts = port.calls.flatMap((call) => (call.kind === "coder" ? [call.prompt] : []));
    expect(prompts.map((prompt) => prompt.split("\n").at(-1))).toEqual([
      'Do it. For "x".',
      'Do it. For "y".',
    ]);
    expect(port.calls.at(-1)).toMatchObject({ input: { coder_prompt: "Do it." } });
  });

  test("run concurrently up to input_concurrency", async () => {
    const gate = Promise.withResolvers<void>();
    const began: string[] = [];
    let atOnce = 0;
    let most = 0;
    const coder = async (_: string, key: string): Promise<CoderRun> => {
      began.push(key);
      atOnce += 1;
      most = Math.max(most, atOnce);
      if (began.length === 3) gate.resolve();
      await gate.promise;
      atOnce -= 1;
      return { text: key, files_changed: [] };
    };
    const port = createFakePort({}, { coder });
    const { responses } = await runPrompt(port, {
      inputs: [0, 1, 2, 3, 4, 5],
      input_concurrency: 3,
    });
    expect(most).toBe(3);
    expect(responses.map(({ input }) => input)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(responses[5]?.text).toBe("pipeline/task-5/coder");
  });

  test("stop at the first failure: no further task begins, and running ones finish", async () => {
    const second = Promise.withResolvers<void>();
    const failure = { code: "model-error" as const, message: "gone" };
    const coder = async (_: string, key: string): Promise<CoderRun> => {
      if (key.includes("task-0")) {
        queueMicrotask(second.resolve);
        return { failure };
      }
      await second.promise;
      return { text: "late", files_changed: [] };
    };
    const port = createFakePort({}, { coder });
    const result = await runPrompt(port, { inputs: [0, 1, 2, 3], input_concurrency: 2 });
    expect(result).toMatchObject({ failure, responses: [{ text: "late", input: 1 }] });
    expect(result.failure?.details).toEqual({ task: { index: 0, input: 0 } });
    expect(port.calls.filter(({ kind }) => kind === "coder")).toHaveLength(2);
  });

  test("have their own limits", async () => {
    const inputs = Array.from({ length: 60 }, (_, index) => index);
    const port = createFakePort({ all: nothing });
    const { failure } = await runPrompt(port, { sub_agents: [all], inputs, input_concurrency: 1 });
    expect(failure).toBeNull();
    expect(traceOf(port)).toHaveLength(2 + 60 * 3);
  });

  test("of an empty list do not exist: the coder does not run, and end is still dispatched", async () => {
    const port = createFakePort({ all: nothing });
    const result = await runPrompt(port, { sub_agents: [all], inputs: [] });
    expect(traceOf(port)).toEqual(["start:all", "end:all"]);
    expect(result).toMatchObject({ failure: null, warnings: [expect.stringContaining("inputs")] });
  });

  test("are at most 1,000", async () => {
    const port = createFakePort({});
    const { failure } = await runPrompt(port, { inputs: Array.from({ length: 1001 }, () => 1) });
    expect(failure).toMatchObject({ code: "limit-exceeded" });
    expect(port.calls).toEqual([]);
  });

  test("may come from an agent", async () => {
    const port = createFakePort({ a: () => ({ coder_params: { inputs: ["one", "two"] } }) });
    expect((await runPrompt(port, { sub_agents: ["a"] })).responses).toHaveLength(2);
  });
});
