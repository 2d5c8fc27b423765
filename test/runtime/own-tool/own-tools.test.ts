import { statSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type OwnToolContext } from "../../../src/index.ts";
import { toolCall, lookup, runWithTools, startCaller } from "../../fixtures/own-tools.ts";
import { startModelServer } from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";
import { inThisProcess } from "../../fixtures/postgres/in-this-process.ts";

function throwObject(): never {
  const thrown: unknown = { code: 7 };
  throw thrown;
}

function createCycle(): object {
  const one: { self?: unknown } = {};
  one.self = one;
  return one;
}

describe("a tool of the program", () => {
  test("is offered with its schema, gets its input as its schema converts it, and counts as a call", async () => {
    const server = await startCaller(toolCall("lookup", { customer: "Ada" }));
    const cadre = await createModelProject(server).open({ tools: [lookup] });
    const { text, toolCalls } = await (await cadre.spawn({ agent: "main", task: "go" })).result();
    expect(text).toBe('{"customer":"Ada","year":2026,"total":42}');
    expect(toolCalls).toBe(1);
    expect(server.turns[0]?.tools).toContain("lookup");
    expect(server.turns[0]?.describe("lookup")).toBe("Finds an order of a customer");
  });

  inThisProcess("The submitter and the worker convert it once each.")(
    "has its schema converted once, however often it is offered",
    async () => {
      let conversions = 0;
      const jsonSchema = { input: () => ((conversions += 1), { type: "object", properties: {} }) };
      const validate = (value: unknown): object => ({ value });
      const input = { "~standard": { version: 1, vendor: "own", validate, jsonSchema } } as const;
      const own = defineTool({ name: "own", description: "own", input, execute: () => "own" });
      const server = await startModelServer(({ turn }) => (turn < 2 ? [toolCall("own")] : "done"));
      const cadre = await createModelProject(server).open({ tools: [own] });
      for (const task of ["one", "two"])
        await (await cadre.spawn({ agent: "main", task })).result();
      expect(server.turns).toHaveLength(6);
      expect(conversions).toBe(1);
    },
  );

  test("answers invalid arguments with what is wrong, without being called", async () => {
    const { text } = await runWithTools([lookup], [toolCall("lookup", { customer: 7, year: "x" })]);
    expect(text).toContain("The arguments of lookup are not valid:\n- customer: ");
    expect(text).toContain("\n- year: ");
  });

  test("is checked by an asynchronous schema before its code begins", async () => {
    const word = z.string().refine(async (text) => text !== "no", "not this one");
    const echo = defineTool({
      name: "echo",
      description: "echoes",
      input: z.object({ word }),
      execute: ({ word: given }) => `said ${given}`,
    });
    const calls = [toolCall("echo", { word: "yes" }), toolCall("echo", { word: "no" })];
    const { text } = await runWithTools([echo], calls);
    expect(text).toBe("said yes\nThe arguments of echo are not valid:\n- word: not this one");
  });

  test.each<[string, () => unknown, string | RegExp]>([
    ["text", () => "done", "done"],
    [
      "JSON",
      async () => [1, null, { at: new Date(0), left: undefined }],
      '[1,null,{"at":"1970-01-01T00:00:00.000Z"}]',
    ],
    ["nothing", () => undefined, "act has ended and returned nothing."],
    ["an error", () => Promise.reject(new Error("no such order")), "act failed: no such order"],
    ["something else thrown", throwObject, 'act failed: {"code":7}'],
    ["a map", () => ({ found: new Map() }), /because it is not JSON:\n- found: a Map/],
    [
      "an error value",
      () => ({ error: new Error("x") }),
      /because it is not JSON:\n- error: a Error/,
    ],
    ["a big number", () => 7n, /because it is not JSON:\n- the result: a bigint/],
    ["a gap in a list", () => [1, undefined], /is not JSON:\n- 1: undefined in a list/],
    ["a wrong date", () => ({ at: new Date("x") }), /is not JSON:\n- at: an invalid Date/],
    ["a cycle", createCycle, /the result\.self: a cycle/],
  ])("gives the model %s", async (_, execute, expected) => {
    const { text, status } = await runWithTools(
      [{ name: "act", description: "acts", execute }],
      [toolCall("act")],
    );
    expect(status).toBe("succeeded");
    if (typeof expected === "string") expect(text).toBe(expected);
    else expect(text).toMatch(expected);
  });

  test("shows images by their content, and says which it does not show", async () => {
    const png = Buffer.from("89504e470d0a1a0a0000", "hex");
    const images = [
      { mediaType: "image/png", data: png },
      { mediaType: "image/png", data: "bm8=" },
    ];
    const chart = {
      name: "chart",
      description: "draws",
      execute: () => ({ text: "Here:", images }),
    };
    const { text } = await runWithTools([chart], [toolCall("chart")]);
    expect(text).toContain(
      "Here:\n[image 1, image/png, 10 bytes]\n[image, image/png, 2 bytes: not shown, it is not a PNG, JPEG, GIF or WebP]\n(The picture follows",
    );
  });

  test("keeps 64 MB in a file, and gives the model both ends with the path", async () => {
    const long = { name: "long", description: "is long", execute: () => "x".repeat(64 << 20) };
    const { text } = await runWithTools([long], [toolCall("long")]);
    expect(text.length).toBeLessThanOrEqual(30_000);
    const [, path = ""] = /The whole output is in (\S+):/.exec(text) ?? [];
    expect(statSync(path).size).toBe(64 << 20);
  });

  inThisProcess("Progress is reported in the process that executes the run.")(
    "reports what it yields as progress; its result is what it returns, or yielded last",
    async () => {
      async function* count(): AsyncGenerator {
        yield "one of two";
        yield { done: 2 };
      }
      const counter = { name: "counter", description: "counts", execute: count };
      const reporter = {
        name: "reporter",
        description: "reports",
        execute(_: unknown, { report }: OwnToolContext) {
          report("half\nway");
          return "over";
        },
      };
      const project = createModelProject(
        await startCaller(toolCall("counter"), toolCall("reporter")),
      );
      const cadre = await project.open({ tools: [counter, reporter] });
      const seen: string[] = [];
      cadre.onActivity((activity) => activity.type === "progress" && seen.push(activity.text));
      const { text } = await (await cadre.spawn({ agent: "main", task: "go" })).result();
      expect(text).toBe('{"done":2}\nover');
      expect(seen).toEqual(expect.arrayContaining(["one of two", '{"done":2}', "half way"]));
    },
  );

  test("that does not end is told to stop at its time limit, and the run continues", async () => {
    const received = Promise.withResolvers<void>();
    const slow = {
      name: "slow",
      description: "is slow",
      timeoutSeconds: 0.05,
      execute(_: unknown, { signal }: OwnToolContext) {
        signal.addEventListener("abort", () => received.resolve());
        return new Promise(() => undefined);
      },
    };
    async function* forever(): AsyncGenerator {
      for (;;) yield "more";
    }
    const endless = { ...slow, name: "endless", execute: forever };
    const { status, text } = await runWithTools(
      [slow, endless],
      [toolCall("slow"), toolCall("endless")],
    );
    expect(status).toBe("succeeded");
    expect(text).toContain("slow did not end within 0.05 s, its time limit. It was told to stop");
    expect(text).toContain("endless did not end within 0.05 s");
    await received.promise;
  });

  test("has no time limit while it waits for the user or for another agent", async () => {
    const patient = {
      name: "patient",
      description: "waits",
      timeoutSeconds: 0.5,
      async execute(_: unknown, { ask, delegate, signal }: OwnToolContext) {
        const { action } = await ask("Well?");
        const { status } = await delegate({ agent: "slow", task: "go" });
        return [action, status, signal.aborted];
      },
    };
    const run = (): Promise<string> => wait(700, "over");
    const { text } = await runWithTools([patient], [toolCall("patient")], {
      agents: [{ name: "slow", description: "is slow", run }],
      onElicit: () => wait(700, { action: "decline" }),
    });
    expect(text).toBe('["decline","succeeded",false]');
  });

  test.each([
    ["none", 2],
    ["read", 2],
    ["network", 2],
    ["edit", 1],
    ["execute", 1],
  ] as const)("with access %s runs %i at once of two in one message", async (access, expected) => {
    let running = 0;
    let most = 0;
    const met = Promise.withResolvers<void>();
    const act = {
      name: "act",
      description: "acts",
      access,
      async execute() {
        running += 1;
        most = Math.max(most, running);
        if (running === 2) met.resolve();
        // Simultaneous calls meet, however slow the machine is. The others must not meet.
        await (expected === 2 ? met.promise : wait(50));
        running -= 1;
      },
    };
    await runWithTools([act], [toolCall("act"), toolCall("act")]);
    expect(most).toBe(expected);
  });

  test("that ignores its signal does not delay the end of its run", async () => {
    const began = Promise.withResolvers<void>();
    const deaf = {
      name: "deaf",
      description: "does not listen",
      execute: () => (began.resolve(), new Promise(() => undefined)),
    };
    const cadre = await createModelProject(await startCaller(toolCall("deaf"))).open({
      tools: [deaf],
    });
    const handle = await cadre.spawn({ agent: "main", task: "go" });
    await began.promise;
    expect(await handle.cancel()).toBe(true);
    expect((await handle.result()).status).toBe("cancelled");
  });
});
