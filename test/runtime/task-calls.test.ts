import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hang } from "../fixtures/model-server.ts";
import { createConversationFixture } from "../fixtures/delegation/conversation-fixture.ts";
import { inThisProcess } from "../fixtures/postgres/in-this-process.ts";

const command = "echo $((40 + 2))";
const task = "The answer is <>.";
const taskCalls = [{ command, start: 14, end: 16 }, { file: "a.txt" }];

describe("the commands and files of a task", () => {
  test("are calls of the agent, whose results complete the task in every later turn", async () => {
    const { server, project, cadre } = await createConversationFixture();
    project.write("a.txt", "one\n");
    const first = await cadre.spawn({ agent: "boss", task, taskCalls });
    expect(await first.result()).toMatchObject({ status: "succeeded", toolCalls: 2 });
    const next = await first.continue("and now?");
    await next.result();
    const [message] = server.turns.at(-1)?.messages ?? [];
    expect(message).toContain('user: The answer is 42.\n\n<file path="a.txt">\n');
    expect(message).toContain("one");
    const journal = await first.journal();
    const calls = journal.filter(({ type }) => type === "step-started");
    expect(calls).toMatchObject([{ key: "task/0", title: `Bash: ${command}` }, { key: "task/1" }]);
    const shown = (await first.transcript()).map(({ type }) => type);
    expect(shown.slice(1, 5)).toEqual(["tool-call", "tool-result", "tool-call", "tool-result"]);
  });

  test("are made once: a resume and a fork read what they said", async () => {
    let isBroken = true;
    const { server, project, cadre } = await createConversationFixture(() =>
      isBroken ? hang : "fine",
    );
    const counting = { command: "echo x >> count; wc -l < count", start: 14, end: 16 };
    const run = await cadre.spawn({ agent: "boss", task, taskCalls: [counting] });
    await server.hung(1);
    await cadre.close({ leaveRuns: true });
    isBroken = false;
    const next = await project.open();
    await next.resume(run.id);
    const resumed = await next.find(run.id);
    expect(await resumed.result()).toMatchObject({ status: "succeeded", toolCalls: 1 });
    const copy = await next.fork(run.id, { task: "again" });
    await copy.result();
    const firstMessages = server.turns.map(({ messages }) => messages[0]);
    expect(new Set(firstMessages)).toEqual(new Set(["user: The answer is 1."]));
    expect(readFileSync(join(project.folder, "count"), "utf8")).toBe("x\n");
  });

  inThisProcess("The submitter resolves the request, and has no hooks.")(
    "are left out with a warning when a hook replaces the task",
    async () => {
      const { server, project } = await createConversationFixture();
      const hook = { beforeDelegation: () => ({ task: "short" }) };
      const cadre = await project.open({ hooks: [hook] });
      const result = await cadre.run({ agent: "boss", task, taskCalls });
      expect(result.warnings.join()).toContain("A hook replaced the task");
      expect(server.turns.at(-1)?.messages).toEqual(["user: short"]);
    },
  );

  test("need permission: a refusal stands in the place of the result", async () => {
    const { server, project, cadre } = await createConversationFixture();
    project.write("a.txt", "secret");
    const permissions = { deny: ["Bash(echo *)", "Read(a.txt)"] };
    const run = await cadre.spawn({ agent: "boss", task, taskCalls, permissions });
    expect(await run.result()).toMatchObject({ status: "succeeded", toolCalls: 0 });
    const [message] = server.turns.at(-1)?.messages ?? [];
    expect(message).toContain("The answer is Permission denied for Bash");
    expect(message).not.toContain("secret");
  });

  test.each([
    [[{ command, start: 3, end: 2 }], "in the order of their places"],
    [[{ command, start: 3, end: 99 }], "which has 17 characters"],
    [
      [
        { command, start: 3, end: 5 },
        { command, start: 4, end: 6 },
      ],
      "after 5",
    ],
    [[{ tool: "Bash" }], "{ file: PATH }"],
  ])("are refused where they are not in the task: %j", async (wrong, message) => {
    const { cadre } = await createConversationFixture();
    const request = { agent: "boss", task, taskCalls: wrong as typeof taskCalls };
    await expect(cadre.spawn(request)).rejects.toThrow(message);
  });
});
