import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../../test/fixtures/fake-clock.ts";
import { createRunnerFixture } from "../../../test/fixtures/runner/runner-fixture.ts";
import type { ApprovalRequest, PermissionMode, PermissionPolicy } from "../../run/permission.ts";

function policy(mode: PermissionMode, allow: string[] = [], deny: string[] = []): PermissionPolicy {
  return { mode, rules: { allow, ask: [], deny } };
}

describe("a permission request of a runner", () => {
  test("is allowed once, never permanently, if the mode allows it", async () => {
    const { execute, workspace } = createRunnerFixture();
    const file = join(workspace, "a.txt");
    const task = [
      "execute npm test",
      `edit ${file}`,
      "read a.txt",
      "fetch x",
      "delete a.txt",
      "odd y",
    ];
    const asked = task.map((line) => `do: ask ${line}`);
    const result = await execute(asked);
    expect(result).toMatchObject({ text: "[yes][yes][yes][yes][yes][yes]", warnings: [] });
  });

  test("is refused by rules, by the mode, and outside the workspace, and the result has the reason", async () => {
    const { execute, events } = createRunnerFixture();
    const policies = [policy("auto", [], ["Bash(rm *)"]), policy("plan")];
    const task = ["execute ls", "read a.txt", "read /etc/passwd", "edit a.txt"];
    const { runId, text, warnings } = await execute(
      task.map((line) => `do: ask ${line}`),
      { policies },
    );
    expect(text).toBe("[no][yes][no][no]");
    const refused = warnings.filter((warning) => warning.includes("not allowed"));
    expect(refused).toEqual([
      expect.stringContaining("execute ls: mode plan"),
      expect.stringContaining("read /etc/passwd: /etc/passwd is outside the workspace"),
      expect.stringContaining("edit a.txt: mode plan"),
    ]);
    // A resume reads the reasons from there.
    const recorded = (await events(runId)).flatMap((event) =>
      event.type === "step-finished" ? (event.warning ?? []) : [],
    );
    expect(recorded).toEqual(refused);
  });

  test("is recorded with what each level decides, unless each allows it by its mode", async () => {
    const { execute, events } = createRunnerFixture();
    const policies = [policy("auto", [], ["Bash(rm *)"]), policy("ask", ["Bash(ls)"])];
    const task = ["execute rm x", "execute ls", "read a.txt"].map((line) => `do: ask ${line}`);
    const { runId } = await execute(task, { policies });
    const recorded = (await events(runId)).flatMap((event) =>
      event.type === "step-finished" && event.kind === "tool" ? [event.permission] : [],
    );
    expect(recorded).toEqual([
      {
        levels: [
          { decision: "deny", reason: "rule Bash(rm *)" },
          { decision: "ask", reason: "mode ask" },
        ],
      },
      {
        levels: [
          { decision: "allow", reason: "mode auto" },
          { decision: "allow", reason: "rule Bash(ls)" },
        ],
      },
      undefined,
    ]);
  });

  test.each([["plain"], ["shell"]])(
    "counts as a command for rules, with or without its shell (%s)",
    async (trait) => {
      const { execute } = createRunnerFixture([trait]);
      const { text } = await execute(["do: ask execute rm -rf x", "do: ask execute ls"], {
        policies: [policy("auto", [], ["Bash(rm *)"])],
      });
      expect(text).toBe("[no][yes]");
    },
  );

  test("is limited to the rights of the agent and its parent", async () => {
    const { execute } = createRunnerFixture([], { definition: { tools: ["Read", "Bash"] } });
    const task = ["read a.txt", "edit a.txt", "execute ls"].map((line) => `do: ask ${line}`);
    const { text } = await execute([...task, "do: write a.txt x"], {
      parentTools: ["Read", "Edit"],
    });
    expect(text).toMatch(/^\[yes\]\[no\]\[no\]\[.*Permission denied for Write a.txt.*\]$/);
  });

  test("reaches the user with the chain of agents, once if the answer is always", async () => {
    const questions: ApprovalRequest[] = [];
    const { begin, engine, events, registry } = createRunnerFixture([], {
      async ask(request) {
        questions.push(request);
        if (request.subject === "no thanks") return { decision: "deny", reason: "not now" };
        return { decision: "allow", scope: "always" };
      },
    });
    const task = ["execute npm test", "execute no thanks", "execute npm test"];
    const id = await begin(
      task.map((line) => `do: ask ${line}`),
      { policies: [policy("ask")], chain: ["main", "coder"] },
    );
    const result = await engine.result(id);
    expect(result.text).toBe("[yes][no][yes]");
    expect(questions).toEqual([
      expect.objectContaining({
        tool: "Bash",
        title: "execute npm test",
        subject: "npm test",
        input: { command: "npm test" },
        chain: ["main", "coder"],
        stepKey: "permit/1/1/1",
      }),
      expect.objectContaining({ subject: "no thanks" }),
    ]);
    const answers = (await events(id)).filter(({ type }) => type === "approval-answered");
    expect(answers).toHaveLength(2);
    expect((await registry.run(id))?.status).toBe("succeeded");
  });

  test("covers one write of the file through Cadre, and the next one is asked about again", async () => {
    const asked: string[] = [];
    const { execute } = createRunnerFixture([], {
      async ask({ title }) {
        asked.push(title);
        return { decision: "allow", scope: "once" };
      },
    });
    const task = [
      "do: ask edit a.txt",
      "do: write a.txt x",
      "do: write a.txt y",
      "do: write b.txt z",
    ];
    const { text } = await execute(task, { policies: [policy("ask")] });
    expect(text).toBe("[yes][written][written][written]");
    expect(asked).toEqual(["edit a.txt", "Write a.txt", "Write b.txt"]);
  });

  test("is denied without a user to ask", async () => {
    const { execute } = createRunnerFixture();
    const { text, warnings } = await execute(["do: ask execute ls"], { policies: [policy("ask")] });
    expect(text).toBe("[no]");
    expect(warnings).toEqual([expect.stringContaining("no user to ask")]);
  });

  test("is answered as cancelled when the run is cancelled meanwhile", async () => {
    const asked = Promise.withResolvers<void>();
    const { begin, engine } = createRunnerFixture([], {
      // No timeout applies.
      clock: createFakeClock(),
      ask: (_, signal) =>
        new Promise((_resolve, reject) => {
          asked.resolve();
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
    });
    const id = await begin(["do: ask execute ls"], { policies: [policy("ask")] });
    await asked.promise;
    await engine.cancel(id, "enough", "user");
    expect(await engine.result(id)).toMatchObject({ status: "cancelled", text: "[cancelled]" });
  });

  test("is preceded by choosing a mode of the agent that asks as much", async () => {
    const { execute, asked } = createRunnerFixture(["modes"]);
    const chosen = (): unknown[] =>
      asked().flatMap(({ method, params }) =>
        method === "session/set_mode" ? [params["modeId"]] : [],
      );
    await execute(["do: say ok"]);
    expect(chosen()).toEqual(["default"]);
    await execute(["do: say ok"], { policies: [policy("auto"), policy("plan")] });
    await execute(["do: say ok"], { policies: [policy("accept-edits")] });
    expect(chosen()).toEqual(["default", "plan", "default"]);
  });
});
