import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createPlainDefinition,
  createEngineFixture,
  createTestTool,
  type EngineGiven,
  type EngineFixture,
  eventually,
  typesOf,
} from "../../../test/fixtures/engine-fixture.ts";
import { createFakeClock } from "../../../test/fixtures/fake-clock.ts";
import { isAlive } from "../../../test/fixtures/is-alive.ts";
import { createResult } from "../../../test/fixtures/run-spec.ts";
import { CadreError } from "../../errors.ts";
import type { Script, ScriptReply } from "../../model/script/scripted-model.ts";
import type { RetryPolicy } from "../../run/retry-policy.ts";
import { createTool } from "../../tool/tool.ts";

const check = (...commands: string[]): RetryPolicy["checks"] =>
  commands.map((command) => ({ type: "shell", command }));
/** Fails the first time. */
const second = "test -e seen || { touch seen; echo not yet; exit 3; }";
const refused: ScriptReply = { text: "no", fault: { kind: "status", status: 400 } };

/** A script that replies `first` to the first request and `then` to all others. */
function firstThen(first: ScriptReply, then: ScriptReply): { script: Script; asked: string[] } {
  const asked: string[] = [];
  return { asked, script: ({ text }) => (asked.push(text) === 1 ? first : then) };
}

async function keysOf(fixture: EngineFixture, id: string): Promise<string[]> {
  const events = await fixture.events(id);
  return events.flatMap((event) => (event.type === "step-finished" ? event.key : []));
}

describe("a run with checks", () => {
  test("succeeds when all of them exit with 0, in the workspace", async () => {
    const fixture = createEngineFixture();
    const retry = { maxRetries: 2, checks: check("pwd > where", "test -s where") };
    expect(await fixture.run({ retry })).toMatchObject({ status: "succeeded", turns: 1 });
    expect(readFileSync(join(fixture.workspace, "where"), "utf8").trim()).toBe(fixture.workspace);
  });

  test("records the warnings of a failed attempt for a resume, each once", async () => {
    const { script } = firstThen({ text: "first" }, { text: "second" });
    const fixture = createEngineFixture({ script });
    const definition = createPlainDefinition({ skills: ["absent"] });
    const retry = { maxRetries: 2, checks: check("false") };
    const { runId } = await fixture.run({ definition, retry });
    const failed = (await fixture.events(runId)).filter(({ type }) => type === "attempt-failed");
    expect(failed).toMatchObject([{ warnings: [expect.stringContaining("absent")] }, {}]);
    expect(failed[1]).not.toHaveProperty("warnings");
  });

  test("starts a new conversation after a failed check, and counts every turn", async () => {
    const { asked, script } = firstThen({ text: "first" }, { text: "second" });
    const fixture = createEngineFixture({ script });
    const result = await fixture.run({ retry: { maxRetries: 1, checks: check(second) } });
    expect(result).toMatchObject({ status: "succeeded", text: "second", turns: 2 });
    expect(asked).toEqual(["do it", "do it"]);
    const events = await fixture.events(result.runId);
    expect(events.find(({ type }) => type === "attempt-failed")).toMatchObject({
      attempt: 1,
      failure: { code: "output-invalid", details: { exitCode: 3, output: "not yet" } },
    });
    expect(await keysOf(fixture, result.runId)).toEqual([
      "instructions",
      "model/1",
      "check/1",
      "try/2/instructions",
      "try/2/model/1",
      "try/2/check/1",
    ]);
    expect(await fixture.registry.run(result.runId)).toMatchObject({ retries: 1, openSteps: 0 });
  });

  test("fails when they never pass, with the command, its exit code, the end of its output, and the run's text", async () => {
    const fixture = createEngineFixture({ script: () => ({ text: "I think so." }) });
    const command = "seq 5000; echo it is broken >&2; exit 7";
    const result = await fixture.run({ retry: { maxRetries: 2, checks: check("true", command) } });
    expect(result).toMatchObject({
      status: "failed",
      text: "I think so.",
      turns: 3,
      failure: { code: "output-invalid", details: { command, exitCode: 7, signal: null } },
    });
    expect(result.failure?.message).toContain(
      `\`${command}\` of agent main ended with exit code 7`,
    );
    const output = result.failure?.details?.["output"];
    expect(output).toMatch(/5000\nit is broken$/);
    expect(output).toHaveLength(4000);
  });

  test("runs the on_failure command before each new attempt, and warns if that fails", async () => {
    const fixture = createEngineFixture();
    const onFailure = "echo tidied >> tidy; exit 4";
    const result = await fixture.run({
      retry: { maxRetries: 1, checks: check("exit 1"), onFailure },
    });
    expect(result.status).toBe("failed");
    expect(readFileSync(join(fixture.workspace, "tidy"), "utf8")).toBe("tidied\n");
    expect(result.warnings).toEqual([
      `The on_failure command \`${onFailure}\`, ended with exit code 4.`,
    ]);
  });

  test("ends a check at its timeout, with all its processes", async () => {
    const fixture = createEngineFixture();
    const checks = check("sleep 1000 & echo $! > pid; wait");
    const result = await fixture.run({ retry: { maxRetries: 0, checks, timeoutSeconds: 0.3 } });
    expect(result.failure?.message).toContain("took longer than its 0.3 s");
    const pid = Number(readFileSync(join(fixture.workspace, "pid"), "utf8"));
    await eventually(() => (isAlive(pid) ? undefined : true));
  });

  test("can be cancelled during a check", async () => {
    const fixture = createEngineFixture();
    const checks = check("echo $$ > pid; sleep 1000");
    const id = await fixture.spawn({ retry: { maxRetries: 3, checks } });
    const pid = await eventually(() => readPid(join(fixture.workspace, "pid")));
    expect(await fixture.engine.cancel(id, "enough", "user")).toBe(true);
    expect(await fixture.engine.result(id)).toMatchObject({ status: "cancelled" });
    expect(isAlive(pid)).toBe(false);
    expect(typesOf(await fixture.events(id))).not.toContain("attempt-failed");
  });

  test("gives them no keys of the environment", async () => {
    process.env["CADRE_TEST_TOKEN"] = "secret";
    const fixture = createEngineFixture();
    const result = await fixture.run({
      retry: { maxRetries: 0, checks: check('test -z "$CADRE_TEST_TOKEN"') },
    });
    delete process.env["CADRE_TEST_TOKEN"];
    expect(result).toMatchObject({ status: "succeeded" });
  });
});

describe("an attempt that fails by itself", () => {
  test("is followed by another", async () => {
    const { script } = firstThen(refused, { text: "done" });
    const fixture = createEngineFixture({ script });
    const result = await fixture.run({ retry: { maxRetries: 1, checks: [] } });
    expect(result).toMatchObject({ status: "succeeded", text: "done" });
    const failed = (await fixture.events(result.runId)).filter(
      ({ type }) => type === "attempt-failed",
    );
    expect(failed).toMatchObject([{ attempt: 1, failure: { code: "model-error" } }]);
  });

  test("gets all its turns again, and has seen no file", async () => {
    const seen: number[] = [];
    const look = createTool({
      name: "Look",
      description: "",
      access: "read",
      input: z.object({}),
      describe: () => ({ title: "Look", subject: "", paths: [] }),
      execute: async (_, { seenFiles }) => {
        seen.push(seenFiles.size);
        return { text: "", files: [{ path: "/x", hash: "1", change: "read" }] };
      },
    });
    const fixture = createEngineFixture({
      tools: [look],
      script: () => ({ text: "looking", calls: [{ tool: "Look", input: {} }] }),
    });
    const result = await fixture.run({ maxTurns: 2, retry: { maxRetries: 1, checks: [] } });
    expect(result).toMatchObject({ status: "failed", turns: 4, text: "looking" });
    expect(result.failure?.code).toBe("limit-exceeded");
    expect(seen).toEqual([0, 1, 0, 1]);
  });

  test("gets its corrections again after an invalid output", async () => {
    const { script, asked } = firstThen({ text: "x" }, { text: "y" });
    const fixture = createEngineFixture({ script });
    const outputSchema = { type: "object" };
    const result = await fixture.run({ outputSchema, retry: { maxRetries: 1, checks: [] } });
    expect(result).toMatchObject({
      status: "failed",
      failure: { code: "output-invalid" },
      turns: 6,
    });
    expect(asked[3]).toBe("do it");
  });

  test("gives its tool calls their own keys", async () => {
    const keys: string[] = [];
    let replies = 0;
    const fixture = createEngineFixture({
      tools: [createTestTool("Do", (_, { stepKey }) => `${keys.push(stepKey)}`)],
      script({ turn }) {
        replies += 1;
        if (turn === 0) return { calls: [{ tool: "Do", input: {} }] };
        return replies === 2 ? refused : { text: "done" };
      },
    });
    await fixture.run({ retry: { maxRetries: 1, checks: [] } });
    expect(keys).toEqual(["tool/1/0", "try/2/tool/1/0"]);
  });

  test("passes on the messages it received", async () => {
    const asked: string[] = [];
    const fixture: EngineFixture = createEngineFixture({
      tools: [
        createTestTool(
          "Wait",
          async (_, { runId }) => `${await fixture.engine.send(runId, "auth first", "user")}`,
        ),
      ],
      script({ turn, text }) {
        asked.push(text);
        if (asked.length === 1) return { calls: [{ tool: "Wait", input: {} }] };
        return turn === 1 ? refused : { text: "done" };
      },
    });
    const result = await fixture.run({ retry: { maxRetries: 1, checks: [] } });
    expect(result).toMatchObject({ status: "succeeded" });
    expect(asked.at(-1)).toBe("do it\n[Message from user]:\nauth first");
  });

  test.each([
    ["the key is refused", "definition-invalid"],
    ["the folder is not trusted", "not-trusted"],
    ["the budget is used up", "budget-exceeded"],
  ] as const)("is the last one when %s", async (message, code) => {
    let tried = 0;
    const fixture = createEngineFixture({
      offerTools() {
        tried += 1;
        return Promise.reject(new CadreError(code, message));
      },
    });
    const result = await fixture.run({ retry: { maxRetries: 5, checks: [] } });
    expect(result).toMatchObject({ status: "failed", failure: { message } });
    expect(tried).toBe(1);
  });

  test("is the last one if its task does not fit into the model's context", async () => {
    const fixture = createEngineFixture({ contextTokens: 1000 });
    const task = "word ".repeat(5000);
    const id = await fixture.spawn({ task, retry: { maxRetries: 5, checks: [] } });
    expect(await fixture.engine.result(id)).toMatchObject({
      status: "failed",
      failure: { code: "limit-exceeded", details: { kind: "context-overflow" } },
    });
    expect(typesOf(await fixture.events(id))).not.toContain("attempt-failed");
  });

  test("is the last one at the timeout of the run", async () => {
    const clock = createFakeClock();
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const fixture = createEngineFixture({
      clock,
      script() {
        resolve();
        return { text: "never", fault: { kind: "hang" } };
      },
    });
    const retry = { maxRetries: 5, checks: [] };
    const id = await fixture.spawn({ timeoutSeconds: 60, retry });
    await asked;
    clock.advance(60_000);
    expect(await fixture.engine.result(id)).toMatchObject({ status: "timed-out", turns: 0 });
    expect(typesOf(await fixture.events(id))).not.toContain("attempt-failed");
  });
});

describe("a program with a retry policy", () => {
  const runProgram = async (program: NonNullable<EngineGiven["program"]>, retry: RetryPolicy) => {
    const fixture = createEngineFixture({ program });
    return { fixture, result: await fixture.run({ retry }) };
  };

  test("is called again, and its steps are done again", async () => {
    const done: string[] = [];
    const { fixture, result } = await runProgram(
      async (_, { step }) => await step("a", () => `${done.push("a")}`),
      { maxRetries: 1, checks: check(second) },
    );
    expect(result).toMatchObject({ status: "succeeded", text: "2" });
    expect(await keysOf(fixture, result.runId)).toEqual([
      "program/a",
      "check/1",
      "try/2/program/a",
      "try/2/check/1",
    ]);
  });

  test("may throw, and delegates again with a new key", async () => {
    const keys: string[] = [];
    const fixture = createEngineFixture({
      delegate(_, stepKey) {
        keys.push(stepKey);
        return Promise.resolve(createResult("c"));
      },
      async program(_, { delegate }) {
        await delegate({ agent: "x", task: "y" });
        if (keys.length === 1) throw new Error("no luck");
        return "luck";
      },
    });
    const result = await fixture.run({ retry: { maxRetries: 1, checks: [] } });
    expect(result).toMatchObject({ status: "succeeded", text: "luck" });
    expect(keys).toEqual(["delegate/1", "try/2/delegate/1"]);
  });
});

function readPid(path: string): number | undefined {
  return existsSync(path) ? Number(readFileSync(path, "utf8")) || undefined : undefined;
}
