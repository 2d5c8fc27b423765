import { readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { isLong } from "../../../test/is-long.ts";
import { stopTime } from "../../../test/fixtures/stopped-time.ts";
import { createToolFixture } from "../../../test/fixtures/tool-call.ts";
import { createBashTool } from "./bash.ts";
import { killAllProcesses } from "../process/launch-process.ts";
import { findSandboxProblem } from "../sandbox/sandbox.ts";
import type { SandboxOptions } from "../sandbox/sandbox-options.ts";
import type { ShellOptions } from "./shell.ts";
import type { Tool } from "../tool.ts";

type SandboxMode = NonNullable<SandboxOptions["mode"]>;

const hasSandbox = (await findSandboxProblem()) === null;
const modes: SandboxMode[] = hasSandbox ? ["off", "required"] : ["off"];

function createTool(mode: SandboxMode, options: Partial<ShellOptions> = {}): Tool {
  return createBashTool({
    home: homedir(),
    environment: process.env,
    sandbox: { mode },
    ...options,
  });
}

/** The running processes that have `mark` among their arguments, without zombies. */
function running(mark: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(mark);
    } catch {
      return false;
    }
  });
}

/** Waits for a condition that another process brings about, up to the test's timeout. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextTurn();
}

/** A number of seconds that no other process sleeps. */
let marks = 0;
const mark = (): string => `${10_000_000 + process.pid * 100 + (marks += 1)}`;

describe.each(modes)("with sandbox %s", (mode) => {
  test("returns both streams in order, and its working directory", async () => {
    const fixture = createToolFixture();
    const outcome = await fixture.call(createTool(mode), {
      command: "echo a; echo b >&2; echo c; pwd",
    });
    expect(outcome.text).toBe(`a\nb\nc\n${fixture.workspace}`);
    expect(outcome.isError).toBeUndefined();
    expect(outcome.output).toMatchObject({ exitCode: 0, endedBy: null, outputFile: null });
  });

  test("reports how a command failed", async () => {
    const fixture = createToolFixture();
    const outcome = await fixture.call(createTool(mode), { command: "echo no; exit 3" });
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toContain("no\n\n[Exit code 3.");
    const killed = await fixture.call(createTool(mode), { command: "kill -KILL $$" });
    expect(killed.text).toMatch(/SIGKILL|Exit code 137/);
  });

  test("gives a command neither input nor the environment's secrets", async () => {
    const fixture = createToolFixture();
    const environment = {
      PATH: process.env["PATH"],
      MY_API_KEY: "secret",
      GITHUB_TOKEN: "secret",
      USER: "wanted",
    };
    const tool = createTool(mode, { environment });
    const { text } = await fixture.call(tool, { command: "cat; env" });
    expect(text).not.toContain("secret");
    expect(text).toContain("USER=wanted");
    expect(text).toContain("TERM=dumb");
  });

  test("ends every process a command leaves: in the background, in another session, or orphaned", async () => {
    const fixture = createToolFixture();
    const [one, two, three] = [mark(), mark(), mark()];
    const command = `sleep ${one} & setsid sleep ${two} & (setsid nohup sh -c "sleep ${three} & sleep ${three}" >/dev/null 2>&1 &); echo started`;
    const { text } = await fixture.call(createTool(mode), { command });
    expect(text).toBe("started");
    for (const each of [one, two, three]) await until(() => running(each).length === 0);
  });

  test("ends a command at its timeout and gives it time to clean up", async () => {
    const fixture = createToolFixture();
    const pass = stopTime();
    const command =
      "trap 'sleep 0.2; echo tidy; exit 0' TERM; echo on; while :; do sleep 0.02; done";
    const work = fixture.call(createTool(mode), { command, timeout: 150 });
    await until(() => fixture.reports.includes("on"));
    pass(150);
    // The grace period is two seconds.
    pass(1999);
    const outcome = await work;
    expect(outcome.text).toContain("tidy");
    expect(outcome.text).toContain("Ended at its time limit of 150 ms");
    expect(outcome.output).toMatchObject({ endedBy: "timeout" });
  });

  test("ends a command when the run is cancelled", async () => {
    const controller = new AbortController();
    const fixture = createToolFixture(controller.signal);
    const each = mark();
    const work = fixture.call(createTool(mode), { command: `echo on; sleep ${each}` });
    await until(() => fixture.reports.includes("on"));
    controller.abort();
    expect((await work).text).toContain("the run was cancelled");
    await until(() => running(each).length === 0);
    expect((await fixture.call(createTool(mode), { command: "echo on" })).text).toContain(
      "was not started",
    );
  });

  test("stores a long output in full and names the file", async () => {
    const fixture = createToolFixture();
    const outcome = await fixture.call(createTool(mode), { command: "seq 10000" });
    const { outputFile } = outcome.output as { outputFile: string };
    expect(readFileSync(outputFile, "utf8")).toBe(
      Array.from({ length: 10_000 }, (_, at) => `${at + 1}\n`).join(""),
    );
    const [head = "", tail = ""] = outcome.text.split(/\n\n\[.*\]\n\n/);
    expect(head.startsWith("1\n2\n")).toBe(true);
    expect(/\n(\d+)$/.exec(head)?.[1]).toBeDefined();
    expect(tail.endsWith("\n10000")).toBe(true);
  });

  test("reports progress at a limited rate", async () => {
    const fixture = createToolFixture();
    const before = performance.now();
    await fixture.call(createTool(mode), {
      command: "for i in $(seq 50); do echo $i; sleep 0.002; done",
    });
    // At most one report a second; a slow machine takes more seconds.
    const seconds = Math.floor((performance.now() - before) / 1000);
    expect(fixture.reports.length).toBeGreaterThanOrEqual(1);
    expect(fixture.reports.length).toBeLessThanOrEqual(1 + seconds);
  });
});

test("takes any amount of output in bounded memory and keeps the first 50 MiB", async () => {
  const fixture = createToolFixture();
  const before = process.memoryUsage().rss;
  const outcome = await fixture.call(createTool(modes.at(-1) ?? "off"), {
    command: `echo first; yes | head -c ${isLong ? 1_000_000_000 : 300_000_000}; echo last`,
    timeout: 600_000,
  });
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  expect(outcome.text.length).toBeLessThanOrEqual(30_000);
  expect(outcome.text.startsWith("first\ny\n")).toBe(true);
  expect(outcome.text.endsWith("y\nlast")).toBe(true);
  const { outputFile } = outcome.output as { outputFile: string };
  expect(outcome.text).toContain(outputFile);
  expect(statSync(outputFile).size).toBe(50 * 1024 * 1024);
}, 600_000);

test("kills a command that ignores SIGTERM", async () => {
  const fixture = createToolFixture();
  const each = mark();
  const pass = stopTime();
  const command = `trap '' TERM; setsid sleep ${each} & echo on; while :; do sleep ${each}; done`;
  const work = fixture.call(createTool("off"), { command, timeout: 100 });
  await until(() => fixture.reports.includes("on") && running(each).length === 2);
  pass(100);
  expect(running(each)).toHaveLength(2);
  pass(2000);
  const outcome = await work;
  expect(outcome.isError).toBe(true);
  expect(outcome.output).toMatchObject({ endedBy: "timeout" });
  await until(() => running(each).length === 0);
});

test("ends every command at once when Cadre exits", async () => {
  const fixture = createToolFixture();
  const each = mark();
  const work = modes.map(
    async (mode) =>
      await fixture.call(createTool(mode), {
        command: `setsid sleep ${each} & echo on; sleep ${each}`,
      }),
  );
  await until(
    () => fixture.reports.length === modes.length && running(each).length >= modes.length,
  );
  killAllProcesses();
  for (const { isError } of await Promise.all(work)) expect(isError).toBe(true);
  await until(() => running(each).length === 0);
});

test("refuses invalid commands", async () => {
  const fixture = createToolFixture();
  const tool = createTool("off");
  expect((await fixture.call(tool, { command: " " })).text).toContain("expected a command");
  expect((await fixture.call(tool, { command: "a\0" })).text).toContain("NUL");
  expect((await fixture.call(tool, { command: "é".repeat(70_000) })).text).toContain(
    "write a script",
  );
  expect((await fixture.call(tool, { command: "x", timeout: 700_000 })).text).toContain("timeout");
});

test("describes a call by its command and allows silence up to the timeout", () => {
  const call = createTool("off").prepare(
    { command: "make\nall", timeout: 5000 },
    { workspace: "/" },
  );
  expect(call).toMatchObject({
    title: "Bash: make all",
    subject: "make\nall",
    paths: null,
    quietMs: 15_000,
  });
});
