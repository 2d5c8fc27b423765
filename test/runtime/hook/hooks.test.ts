import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Hooks } from "../../../src/index.ts";
import type { CompletionCall } from "../../fixtures/chat-completion.ts";
import { agentCall, hang, startModelServer, type ServerTurn } from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";
import { inThisProcess } from "../../fixtures/postgres/in-this-process.ts";

const write = (name: string, content = "x"): CompletionCall => ({
  tool: "Write",
  input: { file_path: name, content },
});

/** Creates a project whose model makes `calls` in its first turn and then repeats the results. */
async function createFixture(calls: readonly CompletionCall[]) {
  const server = await startModelServer(({ turn, last }) =>
    turn === 0 ? calls : `told: ${last.join(" | ")}`,
  );
  const project = createModelProject(server);
  const run = async (hooks: readonly Hooks[], task = "go") => {
    const cadre = await project.open({ hooks });
    const handle = await cadre.spawn({ agent: "main", task });
    return { result: await handle.result(), journal: await handle.journal(), cadre };
  };
  return { server, project, run };
}

describe("a hook before a tool call", () => {
  test("refuses it with a reason that the model reads, and the tool is not executed", async () => {
    const { project, run } = await createFixture([write("a.txt")]);
    const guard: Hooks = {
      name: "guard",
      beforeTool: ({ tool }) => (tool === "Write" ? { deny: "files are frozen" } : undefined),
    };
    const { result } = await run([guard]);
    expect(result.text).toContain("Permission denied for ");
    expect(result.text).toContain("guard: files are frozen");
    expect(existsSync(join(project.folder, "a.txt"))).toBe(false);
  });

  test("without a reason says so", async () => {
    const { run } = await createFixture([write("a.txt")]);
    const { result } = await run([{ name: "guard", beforeTool: () => ({ deny: " " }) }]);
    expect(result.text).toContain("guard: no reason was given");
  });

  test("changes its arguments, and the changed call is checked like any other", async () => {
    const { project, run } = await createFixture([write("a.txt"), write("b.txt")]);
    const move: Hooks = {
      beforeTool: ({ input }) => {
        const { file_path: path } = input as { file_path: string };
        return {
          input: { file_path: path === "a.txt" ? "c.txt" : "../out.txt", content: "moved" },
        };
      },
    };
    const { result } = await run([move]);
    expect(readFileSync(join(project.folder, "c.txt"), "utf8")).toBe("moved");
    expect(existsSync(join(project.folder, "a.txt"))).toBe(false);
    expect(existsSync(join(project.folder, "../out.txt"))).toBe(false);
    expect(result.text).toContain("out.txt");
  });

  test("asks the user although the mode allows the call", async () => {
    const { project } = await createFixture([write("a.txt")]);
    const asked: string[] = [];
    const cadre = await project.open({
      hooks: [{ beforeTool: () => ({ ask: "this looks large" }) }],
      onApproval: async ({ reason }) => {
        asked.push(reason);
        return { decision: "deny", reason: "too large" };
      },
    });
    const result = await (await cadre.spawn({ agent: "main", task: "go" })).result();
    expect(asked).toEqual(["this looks large"]);
    expect(result.text).toContain("not approved: too large");
  });

  test("cannot allow what the configuration denies", async () => {
    const { project } = await createFixture([write("a.txt")]);
    const cadre = await project.open({
      mode: "read-only",
      hooks: [{ beforeTool: () => undefined }],
    });
    const result = await (await cadre.spawn({ agent: "main", task: "go" })).result();
    expect(result.text).toContain("Permission denied");
    expect(existsSync(join(project.folder, "a.txt"))).toBe(false);
  });

  test.each<[string, Hooks, string]>([
    ["throws", { beforeTool: () => Promise.reject(new Error("no disk")) }, "failed: no disk"],
    [
      "hangs",
      { timeoutMs: 20, beforeTool: () => new Promise<undefined>(() => undefined) },
      "20 ms",
    ],
    ["returns what it may not", { beforeTool: () => ({ allow: true }) as never }, "the key allow"],
    ["returns text", { beforeTool: () => "no" as never }, "returned string"],
  ])("that %s refuses the call and says why", async (_title, hook, reason) => {
    const { project, run } = await createFixture([write("a.txt")]);
    const { result } = await run([{ name: "guard", ...hook }]);
    expect(result.text).toContain("the hook beforeTool of guard");
    expect(result.text).toContain(reason);
    expect(existsSync(join(project.folder, "a.txt"))).toBe(false);
  });
});

test("a decision that is undefined is none", async () => {
  const { run } = await createFixture([{ tool: "LS", input: {} }]);
  const hooks: Hooks = { beforeTool: () => ({ stop: undefined }) as object };
  expect((await run([hooks])).result).toMatchObject({ status: "succeeded" });
});

test("several hooks see the changes of earlier ones; a refusal is final", async () => {
  const { run } = await createFixture([write("a.txt", "1")]);
  const seen: unknown[] = [];
  const add = (text: string): Hooks => ({
    beforeTool({ input }) {
      const { file_path: path, content } = input as { file_path: string; content: string };
      seen.push(content);
      return { input: { file_path: path, content: content + text } };
    },
  });
  const refuse: Hooks = { name: "third", beforeTool: () => ({ deny: "enough" }) };
  const never: Hooks = { beforeTool: () => void seen.push("never") };
  const { result } = await run([add("2"), add("3"), refuse, never]);
  expect(seen).toEqual(["1", "12"]);
  expect(result.text).toContain("third: enough");
});

test("a hook after a tool call replaces its text or adds to it", async () => {
  const { run } = await createFixture([{ tool: "LS", input: {} }]);
  const first: Hooks = { afterTool: ({ tool, isError }) => ({ text: `${tool} ${isError}` }) };
  const second: Hooks = { afterTool: ({ text }) => ({ context: `after ${text}` }) };
  const { result } = await run([first, second]);
  expect(result.text).toBe("told: LS false\n\nafter LS false");
});

test("hooks around the run and its requests give the model context, in order", async () => {
  const { server, run } = await createFixture([{ tool: "LS", input: {} }]);
  const hooks: Hooks = {
    beforeRun: ({ agent }) => ({ context: `start of ${agent}` }),
    beforeModel: ({ turn }) => ({ context: `before ${turn}` }),
    afterModel: ({ turn, parts }) => ({ context: `after ${turn} of ${parts.length}` }),
  };
  await run([hooks]);
  const [first, second] = server.turns.map(({ last }) => last);
  expect(first?.slice(-2)).toEqual(["start of main", "before 1"]);
  expect(second?.slice(-2)).toEqual(["after 1 of 1", "before 2"]);
});

test("a hook keeps an agent from ending until its check passes", async () => {
  const server = await startModelServer(({ turn }) => `answer ${turn}`);
  const ends: boolean[] = [];
  const cadre = await createModelProject(server).open({
    hooks: [
      {
        beforeEnd({ text, isContinued }) {
          ends.push(isContinued);
          return text === "answer 2" ? undefined : { continue: "Go on." };
        },
      },
    ],
  });
  const result = await (await cadre.spawn({ agent: "main", task: "go" })).result();
  expect(result).toMatchObject({ status: "succeeded", text: "answer 2" });
  expect(ends).toEqual([false, true, true]);
  expect(server.turns.at(-1)?.last).toEqual(["Go on."]);
});

test.each([
  "beforeRun",
  "beforeModel",
  "afterModel",
  "beforeTool",
  "afterTool",
  "beforeEnd",
] as const)("%s stops the run with a reason", async (point) => {
  const { run } = await createFixture([{ tool: "LS", input: {} }]);
  const { result } = await run([{ name: "guard", [point]: () => ({ stop: "that is enough" }) }]);
  expect(result).toMatchObject({
    status: "failed",
    failure: { code: "permission-denied", message: "The run was stopped by guard: that is enough" },
  });
});

test("a hook before a delegation changes the task or refuses, and one after the run sees results", async () => {
  const script = ({ agent, turn, task, last }: ServerTurn) => {
    if (agent !== "main") return `did ${task}`;
    return turn === 0
      ? [agentCall("helper", "easy"), agentCall("helper", "hard")]
      : last.join(" | ");
  };
  const server = await startModelServer(script);
  const project = createModelProject(server);
  project.writeAgent("helper");
  const ended: string[] = [];
  const { promise: allEnded, resolve } = Promise.withResolvers<void>();
  const cadre = await project.open({
    hooks: [
      {
        name: "dispatcher",
        beforeDelegation({ task, parent }) {
          if (parent === null) return undefined;
          return task === "hard"
            ? { deny: "nobody has time" }
            : { task: `${task}, for ${parent.agent}` };
        },
        afterRun({ agent }, { status, text }) {
          ended.push(`${agent} ${status} ${text.slice(0, 20)}`);
          if (agent === "main") resolve();
        },
      },
    ],
  });
  const result = await (await cadre.spawn({ agent: "main", task: "go" })).result();
  await allEnded;
  expect(result.text).toContain("did easy, for main");
  expect(result.text).toContain("dispatcher: nobody has time");
  expect(ended[0]).toBe("helper succeeded did easy, for main");
  expect(ended[1]).toContain("main succeeded");
});

test("a hook refuses instead of the user, who is not asked", async () => {
  const { project } = await createFixture([write("a.txt")]);
  const cadre = await project.open({
    mode: "ask",
    hooks: [
      { name: "night", beforeQuestion: ({ tool }) => ({ deny: `nobody is here for ${tool}` }) },
    ],
    onApproval: () => Promise.reject(new Error("asked")),
  });
  const result = await (await cadre.spawn({ agent: "main", task: "go" })).result();
  expect(result.text).toContain("night: nobody is here for Write");
});

test("decisions are recorded: a resumed run keeps them, whatever the hooks decide now", async () => {
  let isBack = false;
  const server = await startModelServer(({ turn, last }) => {
    if (turn === 0) return [write("a.txt")];
    return isBack ? `told: ${last.join(" | ")}` : hang;
  });
  const project = createModelProject(server);
  const decideAs = (word: string): Hooks => ({
    beforeRun: () => ({ context: `${word} run` }),
    beforeModel: ({ turn }) => ({ context: `${word} request ${turn}` }),
    beforeTool: () => ({ input: { file_path: `${word}.txt`, content: word } }),
    afterTool: () => ({ text: `${word} outcome` }),
  });
  const first = await project.open({ hooks: [decideAs("first")] });
  const { id } = await first.spawn({ agent: "main", task: "go" });
  await server.hung(1);
  await first.close({ leaveRuns: true });
  isBack = true;
  const second = await project.open({ hooks: [decideAs("second")] });
  await second.resume(id);
  const result = await (await second.find(id)).result();
  expect(result.text).toBe("told: first outcome | first request 2");
  expect(existsSync(join(project.folder, "second.txt"))).toBe(false);
  const notes = (await (await second.find(id)).journal()).filter(
    (event) => event.type === "step-finished" && event.key.includes("/hook/"),
  );
  expect(notes.map((event) => "key" in event && event.key)).toEqual([
    "start/hook/beforeRun",
    "model/1/hook/beforeModel",
    "tool/1/0/hook/beforeTool",
    "model/2/hook/beforeModel",
  ]);
});

test("a recorded decision stays when its hook is no longer there", async () => {
  let isBack = false;
  const server = await startModelServer(({ turn, last }) => {
    if (turn === 0) return [write("a.txt")];
    return isBack ? `told: ${last.join(" | ")}` : hang;
  });
  const project = createModelProject(server);
  const note: Hooks = { beforeModel: ({ turn }) => ({ context: `note ${turn}` }) };
  const first = await project.open({ hooks: [note] });
  const { id } = await first.spawn({ agent: "main", task: "go" });
  await server.hung(1);
  await first.close({ leaveRuns: true });
  isBack = true;
  const second = await project.open();
  await second.resume(id);
  expect((await (await second.find(id)).result()).text).toMatch(/note 2$/);
});

inThisProcess("Hooks are options of the worker.")(
  "invalid hooks are refused when Cadre is opened, with the intended name",
  async () => {
    const project = createModelProject();
    await expect(
      project.open({ hooks: [{ beforeTol: () => undefined } as Hooks] }),
    ).rejects.toThrow(/beforeTol.*beforeTool/s);
    await expect(project.open({ hooks: [{ beforeTool: "deny" } as never] })).rejects.toThrow(
      /beforeTool: expected a function/,
    );
  },
);
