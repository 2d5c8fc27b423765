import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { resumeLeftRun } from "../../../test/fixtures/left-run.ts";
import { readAsked, scriptedRunner } from "../../../test/fixtures/runner/runner-fixture.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import type { RunEventBody } from "../../run/event.ts";
import { createRunId } from "../../run/run-id.ts";
import type { RunResult } from "../../run/result.ts";
import type { JsonValue } from "../../source/json.ts";

const id = createRunId(Date.now());
const task = "do: say again";

function note(key: string, value: JsonValue): RunEventBody {
  return { type: "step-finished", key, kind: "note", value, durationMs: 0 };
}

function begun(turn: number, sessionId: string, runId = id): RunEventBody {
  return note(`prompt/${turn}/1`, { runId, sessionId });
}

function call(key: string, title: string): RunEventBody {
  return { type: "step-started", key, title, hasEffect: true };
}

function ended(key: string, value: JsonValue): RunEventBody {
  return { type: "step-finished", key, kind: "tool", value, durationMs: 0 };
}

const instructions = note("instructions", "You do it.");
const reply: RunEventBody = {
  type: "step-finished",
  key: "model/1",
  kind: "model",
  value: {
    parts: [{ type: "text", text: "first answer" }],
    finish: "stop",
    warnings: [],
    stopReason: "end_turn",
  },
  durationMs: 0,
};
const under = [
  call("tool/1/0", "npm test"),
  ended("tool/1/0", { text: "ok" }),
  call("tool/1/1", "deploy"),
  ended("tool/1/1", { text: "it broke", isError: true }),
  call("tool/1/2", "send the mail"),
];

interface Outcome {
  result: RunResult;
  methods: string[];
  prompt: string;
  keys: string[];
}

/** Resumes a run of an earlier process, in an agent with these traits that had the session `old`. */
async function goOn(events: readonly RunEventBody[], ...traits: string[]): Promise<Outcome> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "old.txt"), "what was said before");
  const definition = { runner: scriptedRunner(folder, ...traits) };
  const fixture = await resumeLeftRun(events, { definition }, { id, model: null, task });
  const result = await fixture.engine.result(id);
  const asked = readAsked(folder);
  const prompt = asked.find(({ method }) => method === "session/prompt")?.params.text ?? "";
  const keys = (await fixture.events(id)).flatMap((event) => ("key" in event ? [event.key] : []));
  return {
    result,
    methods: asked.map(({ method }) => method.replace("session/", "")),
    prompt,
    keys,
  };
}

describe("a run in a runner that was killed", () => {
  test("does not repeat recorded turns", async () => {
    const { result, methods } = await goOn([instructions, begun(1, "old"), reply]);
    expect(result).toMatchObject({ status: "succeeded", text: "first answer" });
    expect(methods).toEqual([]);
  });

  test("continues in its session, and tells the agent which calls were interrupted", async () => {
    const { result, methods, prompt, keys } = await goOn(
      [instructions, begun(1, "old"), ...under],
      "load",
    );
    expect(methods).toEqual(["initialize", "load", "prompt"]);
    // The replayed session is not an answer.
    expect(result).toMatchObject({ status: "succeeded", text: "again" });
    expect(prompt).toMatch(
      /^You do it\.[^]*# You were interrupted[^]*- npm test: done\n- deploy: failed\n- send the mail: INTERRUPTED/,
    );
    expect(keys.filter((key) => key === "tool/1/2")).toHaveLength(2);
    expect(keys).toContain("prompt/1/2");
  });

  test("begins a new session if the agent cannot continue it, or has lost it", async () => {
    const cannot = await goOn([instructions, begun(1, "old"), ...under]);
    expect(cannot.methods).toEqual(["initialize", "new", "prompt"]);
    expect(cannot.prompt).toContain("send the mail: INTERRUPTED");
    const forgot = await goOn([instructions, begun(1, "old")], "load", "forgetful");
    expect(forgot.methods).toEqual(["initialize", "load", "new", "prompt"]);
    expect(forgot.prompt).toContain("(no call of a tool was reported)");
    expect(forgot.result.text).toBe("again");
  });

  test("continues a session without a replay if the agent supports that", async () => {
    const { methods } = await goOn([instructions, begun(1, "old")], "load", "resume");
    expect(methods).toEqual(["initialize", "resume", "prompt"]);
  });

  test("gives a new session the earlier turns", async () => {
    const message = { id: "m", kind: "steering" as const, from: "user", text: "do: say more" };
    const events: RunEventBody[] = [
      instructions,
      begun(1, "old"),
      reply,
      { type: "message-queued", message },
    ];
    const prompts = await goOn(events);
    expect(prompts.result).toMatchObject({ status: "succeeded", text: "againmore" });
    expect(prompts.prompt).toMatch(
      /do: say again\n\n\[You answered\]:\nfirst answer\n\n\[Message from user\]:\ndo: say more$/,
    );
    const known = await goOn(events, "load");
    expect(known.prompt).toBe("[Message from user]:\ndo: say more");
  });

  test("does not use the session of another run: a fork has its own", async () => {
    const { methods } = await goOn([instructions, begun(1, "old", "another")], "load");
    expect(methods).toEqual(["initialize", "new", "prompt"]);
  });
});
