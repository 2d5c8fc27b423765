import { describe, expect, test } from "vitest";
import {
  createEngineFixture,
  createTestTool,
  eventually,
  testSeal,
  typesOf,
} from "../../../test/fixtures/engine-fixture.ts";
import { createFakeClock } from "../../../test/fixtures/fake-clock.ts";
import { leaveRuns } from "../../../test/fixtures/left-run.ts";
import { CadreError } from "../../errors.ts";
import type { ApprovalAnswer, ApprovalRequest, PermissionPolicy } from "../../run/permission.ts";
import { type ApprovalSeal, createApprovalSeal, type SealedQuestion } from "./approval-seal.ts";
import type { Ask } from "./approvals.ts";

const policies: PermissionPolicy[] = [{ mode: "ask", rules: { allow: [], ask: [], deny: [] } }];
const allow: ApprovalAnswer = { decision: "allow", scope: "once" };

/** An agent that calls `Do` with these values in one reply, and then repeats the results. */
function setUp(
  values: readonly string[],
  ask?: Ask,
  given: Parameters<typeof createEngineFixture>[0] = {},
) {
  const did: string[] = [];
  const tool = createTestTool("Do", (value) => `did ${did.push(value) > 0 ? value : ""}`, {
    access: "edit",
  });
  const fixture = createEngineFixture({
    ask,
    tools: [tool],
    script: ({ turn, last }) =>
      turn === 0
        ? { calls: values.map((value) => ({ tool: "Do", input: { value } })) }
        : { text: last },
    ...given,
  });
  return { did, fixture };
}

describe("a call that needs approval", () => {
  test("is executed when the user allows it, and the question names the agent, the call and the reason", async () => {
    const asked: ApprovalRequest[] = [];
    const { fixture, did } = setUp(["a"], async (request) => {
      asked.push(request);
      return allow;
    });
    const result = await fixture.run({ policies, chain: ["main", "worker"] });
    expect(result).toMatchObject({ status: "succeeded", text: "did a" });
    expect(did).toEqual(["a"]);
    expect(asked).toEqual([
      {
        runId: result.runId,
        stepKey: "tool/1/0",
        tool: "Do",
        title: "Do a",
        subject: "a",
        input: { value: "a" },
        chain: ["main", "worker"],
        levels: [{ decision: "ask", reason: "mode ask" }],
        paths: [],
        proposal: "Do(a)",
        reason: "mode ask",
      },
    ]);
  });

  test("is not executed when the user denies it, and the agent is told", async () => {
    const { fixture, did } = setUp(["a"], async () => ({ decision: "deny", reason: "not today" }));
    const { text } = await fixture.run({ policies });
    expect(text).toContain("Permission denied for Do a: not approved: not today");
    expect(did).toEqual([]);
  });

  test("is not executed without a user to ask, and the agent is told", async () => {
    const { fixture, did } = setUp(["a"]);
    const result = await fixture.run({ policies });
    const warning = expect.stringMatching(
      /^Do a was denied: it needs an answer, and there is no user/,
    );
    expect(result).toMatchObject({ status: "succeeded", warnings: [warning] });
    expect(result.text).toContain("there is no user to ask");
    expect(did).toEqual([]);
    expect(typesOf(await fixture.events(result.runId))).not.toContain("approval-requested");
  });

  test("is named in the result of a run that another process resumes or cancels after the denial", async () => {
    const denied = setUp(["a"]).fixture;
    const { runId, warnings } = await denied.run({ policies });
    const events = await denied.events(runId);
    const end = events.findIndex((event) => "key" in event && event.key === "tool/1/0");
    const left = { spec: { policies }, events: events.slice(1, end + 1) };
    const path = await leaveRuns([
      { id: "r", ...left },
      { id: "s", ...left },
    ]);
    const { fixture } = setUp(["a"], undefined, { path });
    await fixture.engine.resume("r");
    expect(warnings).toHaveLength(1);
    expect(await fixture.engine.result("r")).toMatchObject({ status: "succeeded", warnings });
    await fixture.engine.cancel("s", "enough", "the user");
    expect(await fixture.engine.result("s")).toMatchObject({ status: "cancelled", warnings });
  });

  test("is asked about one at a time", async () => {
    let open = 0;
    const most: number[] = [];
    const { fixture } = setUp(["a", "b", "c"], async () => {
      most.push((open += 1));
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return allow;
    });
    await fixture.run({ policies });
    expect(most).toEqual([1, 1, 1]);
  });

  test("is asked about once after the answer always, and another call is asked about again", async () => {
    const asked: string[] = [];
    const { fixture } = setUp(
      [],
      async ({ subject }) => {
        asked.push(subject);
        return { decision: "allow", scope: "always" };
      },
      {
        script: ({ turn }) =>
          turn < 4
            ? { calls: [{ tool: "Do", input: { value: turn === 3 ? "b" : "a" } }] }
            : { text: "done" },
      },
    );
    await fixture.run({ policies });
    expect(asked).toEqual(["a", "b"]);
  });

  test("lets other runs continue and stops its own clock meanwhile", async () => {
    const clock = createFakeClock();
    const answer = Promise.withResolvers<ApprovalAnswer>();
    const { fixture } = setUp(["a"], () => answer.promise, { clock, concurrency: 1 });
    const id = await fixture.spawn({ policies, timeoutSeconds: 60 });
    await eventually(async () =>
      (await fixture.registry.run(id))?.status === "awaiting-approval" ? true : undefined,
    );
    clock.advance(3_600_000);
    const auto = [{ mode: "auto" as const, rules: { allow: [], ask: [], deny: [] } }];
    expect(await fixture.run({ policies: auto })).toMatchObject({ status: "succeeded" });
    answer.resolve(allow);
    expect(await fixture.engine.result(id)).toMatchObject({ status: "succeeded", text: "did a" });
  });

  test("is abandoned when the run is cancelled while it waits", async () => {
    const asked = Promise.withResolvers<void>();
    const { fixture, did } = setUp(["a"], (_, signal) => {
      asked.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    });
    const id = await fixture.spawn({ policies });
    await asked.promise;
    await fixture.engine.cancel(id, "enough", "user");
    expect(await fixture.registry.run(id)).toMatchObject({ status: "cancelled", approval: null });
    expect(did).toEqual([]);
  });
});

describe("an answer in a journal", () => {
  const always: ApprovalAnswer = { decision: "allow", scope: "always" };
  const question: Omit<ApprovalRequest, "runId"> = {
    stepKey: "tool/1/0",
    tool: "Do",
    title: "Do a",
    subject: "a",
    input: { value: "a" },
    chain: ["main"],
    reason: "mode ask",
  };

  /** Resumes a run whose question was answered before, with a seal over `sealed`; returns how often the user was asked. */
  async function resumeAnswered(
    sealed: Partial<SealedQuestion> | null,
    { answer = allow, seal = testSeal, values = ["a"] }: AnsweredBefore = {},
  ): Promise<number> {
    const request = { ...question, runId: "r" };
    const workspace = "/work";
    const mark = sealed && seal.seal({ ...request, workspace, ...sealed }, answer);
    const { stepKey } = question;
    const path = await leaveRuns([
      {
        id: "r",
        spec: { policies, workspace },
        events: [
          { type: "run-started", owner: "1" },
          { type: "approval-requested", request },
          { type: "approval-answered", stepKey, answer, ...(mark != null && { seal: mark }) },
        ],
      },
    ]);
    let asked = 0;
    const ask: Ask = async () => {
      asked += 1;
      return allow;
    };
    const { fixture, did } = setUp(values, ask, { path });
    await fixture.engine.resume("r");
    expect(await fixture.engine.result("r")).toMatchObject({ status: "succeeded" });
    expect(did).toEqual(values);
    return asked;
  }

  test("is not requested again by a process that resumes the run", async () => {
    expect(await resumeAnswered({})).toBe(0);
  });

  test("is requested again if another user gave it, or if it was for another call", async () => {
    expect(await resumeAnswered(null)).toBe(1);
    const another = createApprovalSeal(() => Buffer.alloc(32, 2));
    expect(await resumeAnswered({}, { seal: another })).toBe(1);
    for (const other of [
      { runId: "s" },
      { stepKey: "tool/2/0" },
      { tool: "Bash" },
      { subject: "b" },
      { input: { value: "b" } },
      { workspace: "/elsewhere" },
    ]) {
      expect(await resumeAnswered(other)).toBe(1);
    }
  });

  test("allows later calls only if this user answered always", async () => {
    const values = ["a", "a"];
    expect(await resumeAnswered({}, { answer: always, values })).toBe(0);
    expect(await resumeAnswered(null, { answer: always, values })).toBe(2);
  });

  test("is sealed when it is recorded, unless there is no key", async () => {
    const readKey = (): Buffer => {
      throw new CadreError("config-invalid", "a read-only home");
    };
    const sealOf = async (seal: ApprovalSeal): Promise<string | undefined> => {
      const { fixture, did } = setUp(["a"], async () => allow, { seal });
      const { runId } = await fixture.run({ policies });
      expect(did).toEqual(["a"]);
      const events = await fixture.events(runId);
      return events.find((event) => event.type === "approval-answered")?.seal;
    };
    expect(await sealOf(testSeal)).toMatch(/^[0-9a-f]{64}$/);
    expect(await sealOf(createApprovalSeal(readKey))).toBeUndefined();
  });
});

interface AnsweredBefore {
  answer?: ApprovalAnswer;
  seal?: ApprovalSeal;
  values?: readonly string[];
}
