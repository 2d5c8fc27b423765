import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findSandboxProblem } from "../../src/tool/sandbox/sandbox.ts";
import {
  cadre,
  createProject,
  follow,
  node,
  type Project,
  type Started,
} from "../cli/command-line.ts";
import { commandFile, start } from "../cli/start-command.ts";
import { isAlive } from "../fixtures/is-alive.ts";
import { runningWith, uniqueSeconds } from "../fixtures/marked-processes.ts";
import { readAsked, scriptedRunner } from "../fixtures/runner/runner-fixture.ts";

const hasSandbox = (await findSandboxProblem()) === null;

/** A daemon and an endless command. `env -i` removes the daemon's marks, `setsid` its group. */
const daemonAndCommand = "env -i setsid sleep SECONDS & sleep SECONDS";
/** The last message to the agent and the number of remaining processes. */
const report = "cat > heard <<'END'\n{{last}}\nEND\nps -eo args | grep -c '^sleep SECONDS'; true";

/** Creates a project whose agent first calls `tool`, then checks the remaining processes and reports them. */
function createScriptedProject(seconds: string, tool: string, input: object = {}): Project {
  const call = (name: string, given: object): string =>
    JSON.stringify({ calls: [{ tool: name, input: given }] }).replaceAll("SECONDS", seconds);
  const script = [
    "scripts:",
    `  - when: { turn: 0 }\n    reply: ${call(tool, input)}`,
    `  - when: { turn: 1 }\n    reply: ${call("Bash", { command: report })}`,
    '  - reply: { text: "left: {{last}}" }',
  ];
  return createProject({ "script.yaml": script.join("\n") });
}

function configure({ home }: Project, config: object): void {
  mkdirSync(join(home, ".cadre"), { recursive: true });
  writeFileSync(join(home, ".cadre", "config.yaml"), JSON.stringify(config));
}

async function untilRunning(mark: string, count: number): Promise<void> {
  const options = { timeout: 30_000, interval: 10 };
  await expect.poll(() => runningWith(mark).length, options).toBeGreaterThanOrEqual(count);
}

/** Waits as long as the processes of a dead Cadre may need to end. Supervisors give up after five seconds. */
async function untilGone(mark: string): Promise<void> {
  await expect.poll(() => runningWith(mark), { timeout: 10_000, interval: 10 }).toEqual([]);
}

const unasked = ["--mode", "auto"];
const begin = ["run", "main", "go", ...unasked];

async function kill({ child }: Started): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** Resumes the run with the mode granted again. Resolves with the outcome of the interrupted call and the final answer. */
async function resume(project: Project): Promise<{ request: string; answer: string }> {
  const { code, stdout, stderr } = await cadre(project, ["resume", ...unasked]);
  expect(code, stderr).toBe(0);
  return { request: readFileSync(join(project.path, "heard"), "utf8"), answer: stdout.trim() };
}

/** Stops the supervisors of the processes with `mark`. A shell may be in between. */
function stopSupervisors(mark: string): void {
  const supervisors = new Set<number>();
  for (let pid of runningWith(mark)) {
    while (pid > 1 && !isSupervisor(pid)) pid = parentOf(pid);
    if (pid > 1) supervisors.add(pid);
  }
  expect(supervisors.size).toBe(1);
  for (const pid of supervisors) process.kill(pid, "SIGSTOP");
}

function isSupervisor(pid: number): boolean {
  return readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "perl";
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

describe("when Cadre is killed", () => {
  test.each(["off", ...(hasSandbox ? ["required"] : [])])(
    "the processes of a command end with it (sandbox: %s)",
    async (sandbox) => {
      const seconds = uniqueSeconds();
      const project = createScriptedProject(seconds, "Bash", { command: daemonAndCommand });
      configure(project, { sandbox });
      const run = start(project, begin);
      await untilRunning(seconds, 2);
      await kill(run);
      await untilGone(seconds);
      // Without a sandbox it sees all processes of the machine.
      configure(project, { sandbox: "off" });
      const { request, answer } = await resume(project);
      expect(request).toContain("Interrupted, effect unknown");
      expect(answer).toBe("left: 0");
    },
  );

  test("a resume reports an interruption only when no process is left", async () => {
    const seconds = uniqueSeconds();
    const project = createScriptedProject(seconds, "Bash", { command: daemonAndCommand });
    configure(project, { sandbox: "off" });
    const run = start(project, begin);
    await untilRunning(seconds, 2);
    stopSupervisors(seconds);
    await kill(run);
    expect(runningWith(seconds)).toHaveLength(2);
    const { request, answer } = await resume(project);
    expect(request).toContain("Interrupted, effect unknown");
    expect(answer).toBe("left: 0");
  });

  test.runIf(hasSandbox)(
    "a resume ends remaining processes on a machine without perl",
    async () => {
      const seconds = uniqueSeconds();
      const command = "setsid sleep SECONDS & sleep SECONDS";
      const project = createScriptedProject(seconds, "Bash", { command });
      configure(project, { sandbox: "off" });
      // In this test, bubblewrap only hides perl.
      const hidden = [
        "--dev-bind",
        "/",
        "/",
        "--ro-bind",
        "/dev/null",
        "/usr/bin/perl",
        node,
        commandFile,
      ];
      const task = `task-${seconds}`;
      const words = ["run", "main", task, ...unasked];
      const { path: cwd, environment: env } = project;
      const { ended } = follow(spawn("bwrap", [...hidden, ...words], { cwd, env }), "");
      await untilRunning(seconds, 2);
      for (const pid of runningWith(task)) process.kill(pid, "SIGKILL");
      await ended;
      expect(runningWith(seconds)).toHaveLength(2);
      const { request, answer } = await resume(project);
      expect(request).toContain("Interrupted, effect unknown");
      expect(answer).toBe("left: 0");
    },
  );

  test("a server that ignores the end of its input and SIGTERM ends with it, and so does its daemon", async () => {
    const seconds = uniqueSeconds();
    const project = createScriptedProject(seconds, "mcp__raw__run");
    const script = join(import.meta.dirname, "../fixtures/mcp/mcp-raw-server-process.ts");
    const args = [script, "stubborn", join(project.path, "log"), seconds];
    configure(project, { sandbox: "off", extensions: { raw: { command: node, args } } });
    const run = start(project, begin);
    await untilRunning(seconds, 2);
    await kill(run);
    await untilGone(seconds);
    const { request, answer } = await resume(project);
    expect(request).toContain("Interrupted, effect unknown");
    expect(answer).toBe("left: 0");
  });

  test("a runner that ignores the end of its input and SIGTERM ends with it, and so does its daemon", async () => {
    const seconds = uniqueSeconds();
    const project = createProject();
    const header = { name: "main", description: "Works.", runner: "" };
    header.runner = scriptedRunner(project.path, "stays", seconds);
    const fields = Object.entries(header).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    const file = `---\n${fields.join("\n")}\n---\ndo: child\ndo: hang\n`;
    project.write(".cadre/agents/main.md", file);
    const run = start(project, [...begin, "--trust"]);
    const daemon = (): number =>
      readAsked(project.path).find(({ method }) => method === "child")?.pid ?? 0;
    await expect.poll(daemon, { timeout: 30_000, interval: 10 }).toBeGreaterThan(0);
    expect(runningWith(seconds)).toHaveLength(1);
    await kill(run);
    await untilGone(seconds);
    await expect.poll(() => isAlive(daemon()), { timeout: 10_000, interval: 10 }).toBe(false);
  });
});
