import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFakePort, type FakeAgent } from "../../test/fixtures/pipeline/pipeline-port.ts";
import { runPrompt, traceOf, workspaceOf } from "../../test/fixtures/pipeline/pipeline-run.ts";

const nothing: FakeAgent = () => undefined;
const all = { name: "all", on: ["start", "task::start", "task::end", "end"] };

describe("a pipeline", () => {
  test("without agents is one run of the coder", async () => {
    const port = createFakePort({}, { coder: () => ({ text: "done", files_changed: ["a.ts"] }) });
    expect(await runPrompt(port, { model: "m" })).toEqual({
      text: "done",
      responses: [{ text: "done", content_extruded: "done", files_changed: ["a.ts"], input: null }],
      files_changed: ["a.ts"],
      history: [],
      warnings: [],
      failure: null,
    });
    expect(port.calls).toEqual([
      { kind: "coder", key: "pipeline/task-0/coder", prompt: "Do it.", params: { model: "m" } },
    ]);
  });

  test("drains start before the coder runs, and dispatches end after all outputs", async () => {
    const entries = [all, { name: "b", on: ["x::1", "x::2"] }];
    const port = createFakePort({
      all: ({ event }) => ({
        emit_events: event === "start" ? ["x::1"] : event === "end" ? ["x::2"] : [],
      }),
      b: nothing,
    });
    await runPrompt(port, { sub_agents: entries });
    expect(traceOf(port)).toEqual([
      "start:all",
      "x::1:b",
      "task::start:all",
      "coder",
      "task::end:all",
      "end:all",
      "x::2:b",
    ]);
  });

  test("gives the coder the prompt and parameters that its agents changed", async () => {
    const workspace = workspaceOf({ "a.md": "Alpha." });
    const port = createFakePort({
      a: ({ coder_params, coder_prompts }) => ({
        coder_params: { ...coder_params, model: "other", context_globs: ["*.md"] },
        coder_prompts: [...coder_prompts, "And well."],
      }),
    });
    await runPrompt(port, { sub_agents: ["a"], model: "m" }, { workspace });
    const [, coder] = port.calls;
    expect(coder).toMatchObject({ params: { model: "other" } });
    expect(coder).toHaveProperty("prompt", expect.stringContaining("Alpha."));
    expect(coder).toHaveProperty("prompt", expect.stringMatching(/Do it.\n\nAnd well.$/));
  });

  test("passes the folder of its prompt file to agents", async () => {
    const workspace = workspaceOf();
    const port = createFakePort({ a: nothing });
    await runPrompt(port, { sub_agents: ["a"] }, { workspace });
    expect(port.calls[0]).toMatchObject({
      input: { coder_prompt_dir: join(workspace, "prompts") },
    });
  });

  test("warns of parameters without an effect", async () => {
    const port = createFakePort({ a: () => undefined });
    const params = { sub_agents: [{ name: "a", on: "coder::start" }], write_mode: false };
    expect((await runPrompt(port, params)).warnings).toEqual([
      expect.stringContaining("Did you mean `start`?"),
      expect.stringContaining("`write_mode: false` has no effect here"),
    ]);
  });

  test("returns its warnings and those of its agents", async () => {
    const port = createFakePort({ a: () => ({ emit_event: "x" }) });
    const { warnings } = await runPrompt(port, { sub_agents: ["a"], context_globs: ["none"] });
    expect(warnings).toEqual([
      expect.stringContaining("`emit_event`"),
      expect.stringContaining("context_globs: `none` matches no file."),
    ]);
  });
});

describe("a failure", () => {
  test("at start prevents the coder", async () => {
    const port = createFakePort({ a: () => ({ error_msg: "no" }) });
    const { failure, text } = await runPrompt(port, { sub_agents: ["a"] });
    expect(traceOf(port)).toEqual(["start:a"]);
    expect(failure).toMatchObject({ message: "Sub-agent [a] failed: no" });
    expect(text).toBe("");
  });

  test("at task::start prevents the coder and end", async () => {
    const port = createFakePort({
      all: ({ event }) => (event === "task::start" ? { success: false } : null),
    });
    const { failure } = await runPrompt(port, { sub_agents: [all] });
    expect(traceOf(port)).toEqual(["start:all", "task::start:all"]);
    expect(failure).toMatchObject({ code: "pipeline-halted" });
  });

  test.each(["task::end", "end"])("at %s keeps the coder's answer", async (last) => {
    const port = createFakePort({
      all: ({ event }) => (event === last ? { error_msg: "late" } : null),
    });
    const result = await runPrompt(port, { sub_agents: [all] });
    expect(result).toMatchObject({ text: "done", failure: { code: "pipeline-halted" } });
    expect(result.history.at(-1)).toMatchObject({ event: last, success: false });
  });

  test("of the coder is the pipeline's failure, unchanged", async () => {
    const failure = { code: "model-error" as const, message: "The model is gone." };
    const port = createFakePort({ all: nothing }, { coder: () => ({ failure }) });
    expect(await runPrompt(port, { sub_agents: [all] })).toMatchObject({ failure, responses: [] });
    expect(traceOf(port)).toEqual(["start:all", "task::start:all", "coder"]);
  });

  test.each([
    ["an invalid entry", { sub_agents: [5] }, "a name or a table"],
    ["an invalid parameter", { input_concurrency: "many" }, "input_concurrency"],
    ["a glob that leads out", { input_globs: ["../*"] }, "leads out"],
    ["a glob for inputs that matches nothing", { input_globs: ["*.none"] }, "input_globs"],
    [
      "a glob for context that leads out",
      { sub_agents: ["a"], context_globs: ["/etc/*"] },
      "leads out",
    ],
    ["a folder that leads out", { sub_agents: ["a"], base_dir: ".." }, "base_dir: "],
  ])("of its parameters prevents the coder and all agents: %s", async (_, params, words) => {
    const port = createFakePort({ a: () => undefined });
    const { failure } = await runPrompt(port, params);
    expect(failure).toMatchObject({ code: "input-invalid" });
    expect(failure?.message).toContain(words);
    expect(port.calls).toEqual([]);
  });

  test("is a missing instruction", async () => {
    const without = await runPrompt(createFakePort({}), {}, { instruction: "" });
    expect(without.failure).toMatchObject({ code: "input-invalid" });
    const port = createFakePort({ a: () => ({ coder_prompt: "From an agent." }) });
    expect((await runPrompt(port, { sub_agents: ["a"] }, { instruction: "" })).failure).toBeNull();
  });
});

describe("a resumed pipeline", () => {
  const entries = [all, { name: "b", on: "x::1" }];
  const params = {
    sub_agents: entries,
    inputs: ["x", "y"],
    input_concurrency: 2,
    context_globs: ["*.md"],
  };
  const agents: Record<string, FakeAgent> = {
    all: ({ event, coder_prompt }) => ({
      coder_prompt: `${coder_prompt} ${event}`,
      emit_events: event === "end" ? [] : ["x::1"],
    }),
    b: ({ event }) => ({ agent_result: event }),
  };

  test("does the same after any step as one that was never stopped", async () => {
    const workspace = workspaceOf({ "a.md": "Alpha." });
    const whole = createFakePort(agents);
    const expected = await runPrompt(whole, params, { workspace });
    expect(expected.failure).toBeNull();
    // The files have changed, but the recorded content counts.
    writeFileSync(join(workspace, "a.md"), "Beta.");
    const steps = [...whole.journal];
    for (let kept = 2; kept <= steps.length; kept += 1) {
      const again = createFakePort(agents, { journal: new Map(steps.slice(0, kept)) });
      const result = await runPrompt(again, params, { workspace });
      expect(result.history).toEqual(expected.history);
      expect(new Set(again.journal.keys())).toEqual(new Set(whole.journal.keys()));
      const asked = again.calls.map(({ key }) => key);
      expect(asked.filter((key) => steps.slice(0, kept).some(([known]) => known === key))).toEqual(
        [],
      );
    }
  });
});
