import { describe, expect, test } from "vitest";
import { createTalkPlace } from "../fixtures/talk-place.ts";

const command = "echo $((40 + 2))";
const task = "The answer is <>.";
const taskCalls = [{ command, start: 14, end: 16 }, { file: "a.txt" }];

describe("the commands and files of a task", () => {
  test("are calls of the agent, whose results complete the task in every later turn", async () => {
    const { server, project, cadre } = await createTalkPlace();
    project.write("a.txt", "one\n");
    const first = await cadre.spawn({ agent: "boss", task, taskCalls });
    expect(await first.result()).toMatchObject({ status: "succeeded", toolCalls: 2 });
    const next = await first.continue("and now?");
    await next.result();
    const [said] = server.turns.at(-1)?.messages ?? [];
    expect(said).toContain('user: The answer is 42.\n\n<file path="a.txt">\n');
    expect(said).toContain("one");
    const journal = await first.journal();
    const calls = journal.filter(({ type }) => type === "step-started");
    expect(calls).toMatchObject([{ key: "task/0", title: `Bash: ${command}` }, { key: "task/1" }]);
    const shown = (await first.transcript()).map(({ type }) => type);
    expect(shown.slice(1, 5)).toEqual(["tool-call", "tool-result", "tool-call", "tool-result"]);
  });

  test("need permission: a refusal stands in the place of the result", async () => {
    const { server, project, cadre } = await createTalkPlace();
    project.write("a.txt", "secret");
    const permissions = { deny: ["Bash(echo *)", "Read(a.txt)"] };
    const run = await cadre.spawn({ agent: "boss", task, taskCalls, permissions });
    expect(await run.result()).toMatchObject({ status: "succeeded", toolCalls: 0 });
    const [said] = server.turns.at(-1)?.messages ?? [];
    expect(said).toContain("The answer is Permission denied for Bash");
    expect(said).not.toContain("secret");
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
    const { cadre } = await createTalkPlace();
    const request = { agent: "boss", task, taskCalls: wrong as typeof taskCalls };
    await expect(cadre.spawn(request)).rejects.toThrow(message);
  });
});
