import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  cadreMatchers,
  createFakeClock,
  createTestCadre,
  failTool,
  faults,
  journalOf,
  type ScriptRule,
  scriptedModel,
} from "../testing.ts";

expect.extend(cadreMatchers);

const counter = "---\nname: counter\ndescription: counts\n---\nYou are the counter.\n";
const files = {
  ".cadre/agents/counter.md": counter,
  ".cadre/agents/boss.md": "---\nname: boss\ndescription: leads\n---\nYou are the boss.\n",
  "a.txt": "one\ntwo\n",
};
const call = (prompt: string) => ({ tool: "Agent", input: { type: "counter", prompt } });
const script: ScriptRule[] = [
  { when: { agent: "boss", turn: 0 }, reply: { calls: [call("count a"), call("count b")] } },
  { when: { agent: "boss", turn: 1 }, reply: { text: "Both are counted." } },
  {
    when: { agent: "counter", turn: 0 },
    reply: { calls: [{ tool: "Read", input: { file_path: "a.txt" } }] },
  },
  { when: { agent: "counter", turn: 1 }, reply: { text: "two lines" } },
];

describe("the matchers", () => {
  test("say what a run did", async () => {
    await using cadre = await createTestCadre({ files, script });
    const run = await cadre.spawn({ agent: "boss", task: "count all" });
    await expect(run).toHaveSucceeded();
    await expect(run).toHaveDelegatedTo("counter", { task: "count b" });
    await expect(run).toHaveDelegatedTo("counter", { task: /^count [ab]$/ });
    await expect(run).toHaveDelegatedTo("counter", { task: expect.stringContaining("a") });
    await expect(run).not.toHaveDelegatedTo("boss");
    await expect(run).toHaveCalled("Agent", { prompt: "count a" });
    await expect(run).not.toHaveCalled("Read");
    const [child] = await run.descendants();
    await expect(child).toHaveCalled("Read", { file_path: expect.stringMatching(/txt$/) });
    await expect(run).toHaveSpentAtMost({ turns: 6, usd: 0, tokens: 1_000_000 });
    await expect(await run.result()).toHaveSucceeded();
  });

  test("show what happened instead", async () => {
    await using cadre = await createTestCadre({ files, script });
    const run = await cadre.spawn({ agent: "boss", task: "count all" });
    await expect(expect(run).toHaveDelegatedTo("counter", { task: "sing" })).rejects.toThrow(
      'Expected the run to delegate to counter with the task "sing". It delegated to:\n' +
        '- counter: "count a"\n- counter: "count b"',
    );
    await expect(expect(run).not.toHaveSucceeded()).rejects.toThrow(
      'Expected the run not to succeed. It succeeded with the text "Both are counted."',
    );
    await expect(expect(run).toHaveCalled("Bash")).rejects.toThrow(
      'Expected the run to call Bash. It called:\n- Agent {"type":"counter","prompt":"count a"}',
    );
    await expect(expect(run).toHaveSpentAtMost({ turns: 1 })).rejects.toThrow(
      /at most 1 turns. It spent 0 usd, \d+ tokens, 6 turns, with its descendants/,
    );
    await expect(expect(run).toHaveFailedWith("timed-out")).rejects.toThrow("It succeeded");
  });

  test("refuse what is no run, and limits that do not exist", async () => {
    await using cadre = await createTestCadre({ files, script });
    const spawning = cadre.spawn({ agent: "boss", task: "count all" });
    await expect(expect(spawning).toHaveCalled("Bash")).rejects.toThrow("await it first");
    await expect(expect({ id: 1 }).toHaveSucceeded()).rejects.toThrow(
      "toHaveSucceeded expects a run, as `await cadre.spawn(…)` returns it, got an object with id.",
    );
    const limits = { dollars: 1 } as never;
    await expect(expect(await spawning).toHaveSpentAtMost(limits)).rejects.toThrow(
      'expects numbers for usd, tokens, turns, got {"dollars":1}',
    );
  });
});

describe("a test Cadre", () => {
  test("deletes its folder, and asks no provider, whatever model an agent names", async () => {
    const named = counter.replace("---\nYou", "model: opus\n---\nYou");
    let folder: string;
    {
      await using cadre = await createTestCadre({
        files: { ...files, ".cadre/agents/counter.md": named },
        script,
      });
      folder = cadre.folder;
      expect(existsSync(folder)).toBe(true);
      await expect(await cadre.spawn({ agent: "counter", task: "count a" })).toHaveSucceeded();
      expect(cadre.model.requests.map(({ turn }) => turn)).toEqual([0, 1]);
    }
    expect(existsSync(folder)).toBe(false);
  });

  test("fails the test with a request that no rule matches", async () => {
    const use = async (): Promise<void> => {
      await using cadre = await createTestCadre({ files, script: script.slice(0, 2) });
      await cadre.run({ agent: "boss", task: "count all" });
    };
    await expect(use()).rejects.toThrow(
      /No rule of the script matches turn 0 .*ends with "count a".*\n- rule 1: the instructions do not name the agent boss/s,
    );
  });

  test("refuses a file outside the project", async () => {
    await expect(createTestCadre({ files: { "../x": "" } })).rejects.toThrow(
      'Expected the path of a file in the project, got "../x"',
    );
  });

  test("is opened again, and continues the runs that were left", async () => {
    await using cadre = await createTestCadre({
      files,
      script: [{ reply: { text: "done", fault: faults.hang({ times: 1 }) } }],
    });
    const { id } = await cadre.spawn({ agent: "boss", task: "wait" });
    await expect.poll(() => cadre.model.requests.length).toBe(1);
    await cadre.reopen({ leaveRuns: true });
    await cadre.resume();
    await expect(await cadre.find(id)).toHaveSucceeded();
  });
});

test("rules are checked", () => {
  const rules = [{ when: { agnt: "x" }, reply: {} }, { reply: { text: "{{file}}" } }];
  expect(() => scriptedModel(rules as never)).toThrow(
    /not valid:\n- 0.when: `agnt` is not known. Did you mean `agent`\? Known: agent, /,
  );
  expect(() => scriptedModel(rules.slice(1) as never)).toThrow(/\n- 0.reply: `\{\{file\}\}` is/);
});

describe("the journal for snapshots", () => {
  test("is the same for each execution", async () => {
    const journals: unknown[] = [];
    for (let round = 0; round < 2; round += 1) {
      await using cadre = await createTestCadre({ files, script });
      journals.push(await journalOf(await cadre.spawn({ agent: "boss", task: "count all" })));
    }
    expect(journals[1]).toEqual(journals[0]);
    expect(journals[0]).toMatchObject({
      agent: "boss",
      step: null,
      children: [
        { agent: "counter", task: "count a" },
        { agent: "counter", task: "count b" },
      ],
    });
    const text = JSON.stringify(journals[0]);
    expect(text).toContain('"workspace":"<project>"');
    expect(text).not.toContain("cadre-test-");
  });

  test("is that of a run only", async () => {
    await expect(journalOf({} as never)).rejects.toThrow("journalOf expects a run");
  });
});

describe("a fake clock", () => {
  test("drives time limits", async () => {
    const clock = createFakeClock();
    const hanging = [{ reply: { fault: faults.hang() } }];
    await using cadre = await createTestCadre({ files, script: hanging, clock });
    const run = await cadre.spawn({ agent: "boss", task: "wait", timeoutSeconds: 30 });
    await expect.poll(() => cadre.model.requests.length).toBe(1);
    await clock.elapse(30_000);
    await expect(run).toHaveFailedWith("timed-out");
  });

  test("drives budgets of time", async () => {
    const clock = createFakeClock();
    const hanging = [{ reply: { fault: faults.hang() } }];
    await using cadre = await createTestCadre({ files, script: hanging, clock });
    const budget = { wallSeconds: 20 };
    const run = await cadre.spawn({ agent: "boss", task: "wait", budget });
    await expect.poll(() => cadre.model.requests.length).toBe(1);
    await clock.elapse(20_000);
    await expect(run).toHaveFailedWith("budget-exceeded");
  });

  test("drives the waits before retries, and delays of a script", async () => {
    const clock = createFakeClock();
    const fault = faults.rateLimited({ times: 1, retryAfterSeconds: 20 });
    await using cadre = await createTestCadre({
      files,
      script: [{ reply: { text: "Hi.", delayMs: 5000, fault } }],
      clock,
    });
    const run = await cadre.spawn({ agent: "boss", task: "greet" });
    await clock.elapse(5000);
    await clock.elapse(21_000);
    await clock.elapse(5000);
    await expect(run).toHaveSucceeded();
    expect((await run.result()).durationMs).toBeGreaterThanOrEqual(30_000);
  });

  test("that waits in vain lists what is scheduled", async () => {
    const clock = createFakeClock();
    clock.schedule(70_000, () => undefined);
    await expect(clock.elapse(10, { patienceMs: 1 })).rejects.toThrow(
      "Expected a call within 10 ms of the fake clock, and waited for it for 1 ms. Scheduled: in 70000 ms.",
    );
  });

  test("that nobody advances is reported", async () => {
    const warned = new Promise<string>((resolve) =>
      process.once("warning", ({ message }) => resolve(message)),
    );
    createFakeClock({ patienceMs: 1 }).schedule(500, () => undefined);
    const keepAlive = setTimeout(() => undefined, 10_000);
    expect(await warned).toBe(
      "The fake clock was not advanced for 1 ms. Scheduled: in 500 ms. Call `advance(ms)` or `await elapse(ms)`.",
    );
    clearTimeout(keepAlive);
  });

  test("is checked", async () => {
    await expect(createTestCadre({ clock: { now: 1 } as never })).rejects.toThrow(
      "clock: expected a clock; got an object without `now`, `monotonic`, `schedule`, `scheduleIdly`",
    );
  });
});

describe("faults", () => {
  test("of models are retried", async () => {
    for (const fault of [faults.overloaded({ times: 1 }), faults.connectionReset({ times: 1 })]) {
      const clock = createFakeClock();
      const rules = [{ reply: { text: "Hi.", fault } }];
      await using cadre = await createTestCadre({ files, script: rules, clock });
      const run = await cadre.spawn({ agent: "boss", task: "greet" });
      await clock.elapse(30_000);
      await expect(run).toHaveSucceeded();
      expect(cadre.model.requests).toHaveLength(2);
    }
  });

  test("of tools are read by the model", async () => {
    const hooks = [failTool("Read", { message: "disk full", times: 1 })];
    await using cadre = await createTestCadre({
      files,
      hooks,
      script: [
        { when: { turn: 0 }, reply: { calls: [{ tool: "Read", input: { file_path: "a.txt" } }] } },
        { when: { last: "disk full" }, reply: { text: "It is full." } },
      ],
    });
    const result = await cadre.run({ agent: "counter", task: "count" });
    expect(result.text).toBe("It is full.");
  });
});
