import { describe, expect, test } from "vitest";
import {
  createDefinition,
  createEnginePlace,
  createTestTool,
  eventually,
  typesOf,
} from "../../test/fixtures/engine-place.ts";
import { createFakeClock } from "../../test/fixtures/fake-clock.ts";
import { createSpec } from "../../test/fixtures/run-spec.ts";
import type { ApprovalAnswer, ApprovalRequest, PermissionPolicy } from "../run/permission.ts";
import type { JsonObject } from "../source/json.ts";
import type { Ask } from "./approvals.ts";

const policies: PermissionPolicy[] = [{ mode: "ask", rules: { allow: [], ask: [], deny: [] } }];
const allow: ApprovalAnswer = { decision: "allow", scope: "once" };

/** An agent that calls `Do` with these values in one reply, and then repeats what it was told. */
function setUp(
  values: readonly string[],
  ask?: Ask,
  given: Parameters<typeof createEnginePlace>[0] = {},
) {
  const did: string[] = [];
  const tool = createTestTool("Do", (value) => `did ${did.push(value) > 0 ? value : ""}`, {
    access: "edit",
  });
  const place = createEnginePlace({
    ask,
    tools: [tool],
    script: ({ turn, last }) =>
      turn === 0
        ? { calls: values.map((value) => ({ tool: "Do", input: { value } })) }
        : { text: last },
    ...given,
  });
  return { did, place };
}

describe("a call that needs asking", () => {
  test("is done when the user allows it, and the question says who asks for what and why", async () => {
    const asked: ApprovalRequest[] = [];
    const { place, did } = setUp(["a"], async (request) => {
      asked.push(request);
      return allow;
    });
    const result = await place.run({ policies, chain: ["main", "worker"] });
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
        reason: "mode ask",
      },
    ]);
  });

  test("is not done when the user says no, and the agent is told", async () => {
    const { place, did } = setUp(["a"], async () => ({ decision: "deny", reason: "not today" }));
    const { text } = await place.run({ policies });
    expect(text).toContain("Permission denied for Do a: not approved: not today");
    expect(did).toEqual([]);
  });

  test("is not done when there is nobody to ask, and the agent is told", async () => {
    const { place, did } = setUp(["a"]);
    const result = await place.run({ policies });
    expect(result).toMatchObject({ status: "succeeded" });
    expect(result.text).toContain("there is nobody to ask");
    expect(did).toEqual([]);
    expect(typesOf(await place.events(result.runId))).not.toContain("approval-requested");
  });

  test("is asked for one at a time", async () => {
    let open = 0;
    const most: number[] = [];
    const { place } = setUp(["a", "b", "c"], async () => {
      most.push((open += 1));
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return allow;
    });
    await place.run({ policies });
    expect(most).toEqual([1, 1, 1]);
  });

  test("is asked for once when the answer is for always, and again for something else", async () => {
    const asked: string[] = [];
    const { place } = setUp(
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
    await place.run({ policies });
    expect(asked).toEqual(["a", "b"]);
  });

  test("lets another run go on meanwhile, and its own time stand still", async () => {
    const clock = createFakeClock();
    const answer = Promise.withResolvers<ApprovalAnswer>();
    const { place } = setUp(["a"], () => answer.promise, { clock, concurrency: 1 });
    const id = await place.spawn({ policies, timeoutSeconds: 60 });
    await eventually(async () =>
      (await place.registry.run(id))?.status === "awaiting-approval" ? true : undefined,
    );
    clock.advance(3_600_000);
    const auto = [{ mode: "auto" as const, rules: { allow: [], ask: [], deny: [] } }];
    expect(await place.run({ policies: auto })).toMatchObject({ status: "succeeded" });
    answer.resolve(allow);
    expect(await place.engine.result(id)).toMatchObject({ status: "succeeded", text: "did a" });
  });

  test("is given up when the run is cancelled while it waits", async () => {
    const asked = Promise.withResolvers<void>();
    const { place, did } = setUp(["a"], (_, signal) => {
      asked.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    });
    const id = await place.spawn({ policies });
    await asked.promise;
    await place.engine.cancel(id, "enough", "user");
    expect(await place.registry.run(id)).toMatchObject({ status: "cancelled", approval: null });
    expect(did).toEqual([]);
  });

  test("is not asked for again by a process that resumes the run after the answer", async () => {
    const before = createEnginePlace();
    const hash = before.registry.putDefinition(createDefinition() as unknown as JsonObject);
    const spec = createSpec("r", {
      definition: hash,
      policies,
      model: "scripted:test",
      workspace: before.workspace,
    });
    const request: ApprovalRequest = {
      runId: "r",
      stepKey: "tool/1/0",
      tool: "Do",
      title: "Do a",
      subject: "a",
      input: {},
      chain: ["main"],
      reason: "mode ask",
    };
    const { registry } = before;
    registry.append("r", { type: "run-created", spec });
    registry.append("r", { type: "run-started", owner: "1" });
    registry.append("r", { type: "approval-requested", request });
    registry.append("r", { type: "approval-answered", stepKey: "tool/1/0", answer: allow });
    await registry.close();
    let asked = 0;
    const ask: Ask = async () => {
      asked += 1;
      return allow;
    };
    const { place, did } = setUp(["a"], ask, { path: before.path });
    await place.engine.resume("r");
    expect(await place.engine.result("r")).toMatchObject({ status: "succeeded" });
    expect([asked, did]).toEqual([0, ["a"]]);
  });
});
