import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../../test/fixtures/fake-clock.ts";
import { isAlive } from "../../../test/fixtures/is-alive.ts";
import {
  answeringRunner,
  createRunnerFixture,
  type RunnerFixture,
  until,
} from "../../../test/fixtures/runner/runner-fixture.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import type { RunResult } from "../../run/result.ts";

function expectGone({ asked }: Pick<RunnerFixture, "asked">): void {
  const pids = asked().map(({ pid }) => pid);
  expect(pids).not.toEqual([]);
  expect(pids.filter(isAlive)).toEqual([]);
}

function expectFailure({ status, failure }: RunResult, code: string, ...words: string[]): void {
  expect({ status, code: failure?.code }).toEqual({ status: "failed", code });
  for (const word of words) expect(failure?.message).toContain(word);
}

const login = { error: { code: -32000, message: "Authentication required" } };

describe("a runner that cannot be started", () => {
  test.each([
    ["acp:cadre-nowhere --acp", "was not found on the PATH"],
    ["acp:false", "it ended during initialize (exit code 1)"],
    ["acp:echo hello", 'not ACP messages, such as "hello"'],
    // It echoes its input.
    ["acp:cat", "initialize failed"],
    ["acp:KEY=$CADRE_NOT_SET cat", "needs the variable CADRE_NOT_SET"],
  ])("makes the run fail: %s", async (runner, message) => {
    const { execute } = createRunnerFixture([], { definition: { runner } });
    expectFailure(await execute(["go"]), "model-unavailable", message);
  });

  const greeting = { result: { protocolVersion: 1 } };
  test.each([
    ["it crashes", [], ["exit code 4", "the end of its stderr:\nno configuration"]],
    ["it is too old", [{ result: { protocolVersion: 0 } }], ["speaks version 0", "by hand"]],
    ["it requires a login", [greeting, login], ["session/new failed", "Log in with that program"]],
    ["it gives no session", [greeting, { result: { sessionId: "" } }], ["without the id"]],
    ["it answers nothing", [greeting, { result: null }], ["without the id"]],
  ])("makes the run fail: %s", async (_, answers, messages) => {
    const end = answers.length === 0 ? "echo no configuration >&2; exit 4" : "cat";
    const runner = answeringRunner(temporaryFolder(), answers, end);
    const { execute } = createRunnerFixture([], { definition: { runner } });
    expectFailure(await execute(["go"]), "model-unavailable", ...messages);
  });

  test("is logged in with its key if it accepts one; otherwise the error lists its logins", async () => {
    const methods = [
      { id: "web", name: "In the browser" },
      { id: "a", type: "env_var", name: "Key A", vars: [{ name: "CADRE_NOT_SET" }] },
      { id: "b", type: "env_var", name: "Key B", vars: [{ name: "PATH" }] },
      { id: "c", name: "Key C", description: "of the company", _meta: { "api-key": {} } },
    ];
    const greeted = { result: { protocolVersion: 1, authMethods: methods } };
    const wrong = { error: { code: -32603, message: "Internal error", data: "not a key" } };
    const folder = temporaryFolder();
    const answers = [greeted, login, wrong, { result: {} }, { result: { sessionId: "s" } }];
    const end = { result: { stopReason: "end_turn" } };
    const runner = answeringRunner(folder, [...answers, end]);
    const { execute } = createRunnerFixture([], { definition: { runner } });
    expect(await execute(["go"])).toMatchObject({ status: "succeeded" });
    const asked = readFileSync(join(folder, "requests"), "utf8");
    expect([...asked.matchAll(/"methodId":"(.)"/g)].map(([, id]) => id)).toEqual(["b", "c"]);
    const refusing = answeringRunner(temporaryFolder(), [greeted, login, wrong, wrong]);
    const result = await createRunnerFixture([], { definition: { runner: refusing } }).execute([
      "go",
    ]);
    const offers = "It offers: In the browser; Key A; Key B; Key C: of the company.";
    expectFailure(
      result,
      "model-unavailable",
      "authenticate failed: Internal error: not a key.",
      offers,
    );
  });

  test.each([
    ["initialize", []],
    ["session/new", [greeting]],
  ])("fails after a minute when it hangs at %s", async (method, answers) => {
    const clock = createFakeClock();
    const folder = temporaryFolder();
    const pid = join(folder, "pid");
    const end = `read -r request\necho $$ > ${pid}.new; mv ${pid}.new ${pid}\ncat`;
    const runner = answeringRunner(folder, answers, end);
    const fixture = createRunnerFixture([], { clock, definition: { runner } });
    const id = await fixture.begin(["go"]);
    await until(() => existsSync(pid));
    clock.advance(60_000);
    const result = await fixture.engine.result(id);
    expectFailure(result, "model-unavailable", `${method} failed: it did not answer within 60 s`);
    expect(isAlive(Number(readFileSync(pid, "utf8")))).toBe(false);
  });
});

describe("a faulty runner", () => {
  test("makes its run fail with its exit code and last output when it crashes", async () => {
    const fixture = createRunnerFixture();
    const result = await fixture.execute([
      "do: say half",
      "do: begin work",
      "do: crash out of ideas",
    ]);
    expectFailure(result, "model-error", "(exit code 3)", "out of ideas");
    expect(result.text).toBe("half");
    expect(await fixture.registry.run(result.runId)).toMatchObject({ openSteps: 0 });
  });

  test("may print lines that are not messages", async () => {
    const { execute } = createRunnerFixture();
    const result = await execute(["do: nonsense", "do: strange", "do: say ok"]);
    expect(result).toMatchObject({ status: "succeeded", text: "ok" });
  });

  test("is ended by a message that is too long", async () => {
    const { execute } = createRunnerFixture();
    expectFailure(await execute(["do: big"]), "model-error", "more than 16 MiB");
  });

  test("has its secrets removed from its last output", async () => {
    const fixture = createRunnerFixture([], {
      prepareRunner: async () => ({
        environment: { ...process.env, CADRE_SECRET: "hunter2hunter2" },
        servers: [],
      }),
    });
    const { definition } = fixture;
    const runner = (definition.runner ?? "").replace("acp:", "acp:KEY=$CADRE_SECRET ");
    const result = await fixture.execute(["do: crash with hunter2hunter2"], {
      definition: { ...definition, runner },
    });
    expectFailure(result, "model-error", "with [secret]");
    expect(JSON.stringify(await fixture.events(result.runId)).match(/hunter2/g)).toHaveLength(2);
  });
});

describe("an active runner", () => {
  test("is notified when its run is cancelled, and its remaining text is kept", async () => {
    const fixture = createRunnerFixture(["late"], { clock: createFakeClock() });
    const id = await fixture.begin(["do: say half", "do: hang"]);
    await fixture.untilAsked("session/prompt");
    await fixture.engine.cancel(id, "enough", "user");
    const result = await fixture.engine.result(id);
    expect(result).toMatchObject({ status: "cancelled", text: "half stopped" });
    const late = fixture.asked().find(({ method }) => method === "late");
    expect(late?.params.text).toMatch(/^\[cancelled\]\[-32603 /);
    expect(existsSync(join(fixture.workspace, "late.txt"))).toBe(false);
    expectGone(fixture);
  });

  test("is killed with all its processes when it ignores the cancellation", async () => {
    const clock = createFakeClock();
    const fixture = createRunnerFixture(["deaf", "stays"], { clock });
    const id = await fixture.begin(["do: child", "do: hang"]);
    await fixture.untilAsked("child");
    const cancelled = fixture.engine.cancel(id, "enough", "user");
    await fixture.untilAsked("session/cancel");
    clock.advance(2000);
    await cancelled;
    expect(await fixture.engine.result(id)).toMatchObject({ status: "cancelled" });
    expectGone(fixture);
  });

  test("is ended by the timeout of its run, and by silence", async () => {
    const clock = createFakeClock();
    const fixture = createRunnerFixture([], { clock });
    const late = await fixture.begin(["do: begin a long build", "do: hang"], {
      timeoutSeconds: 150,
    });
    await fixture.untilAsked("session/prompt");
    await until(async () => (await fixture.registry.run(late))?.openSteps === 1);
    // A tool of the runner may be silent for longer than the run itself.
    clock.advance(149_000);
    expect((await fixture.registry.run(late))?.status).toBe("running");
    clock.advance(1000);
    expect(await fixture.engine.result(late)).toMatchObject({ status: "timed-out" });
    const silent = await fixture.begin(["do: hang"]);
    await fixture.untilAsked("session/prompt", 2);
    clock.advance(120_000);
    expectFailure(await fixture.engine.result(silent), "stalled", "no activity");
    expectGone(fixture);
  });
});
