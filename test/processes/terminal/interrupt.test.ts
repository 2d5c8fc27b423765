import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canFillDisk, fillDisk } from "../../fixtures/disk.ts";
import { cadre, createProject, type Project } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";

/** The command writes its process id, so that the test can find it. */
const script = `scripts:
  - when: { task: patient, turn: 0 }
    reply: { text: begun, calls: [{ tool: Bash, input: { command: "echo $$ > pid.tmp; mv pid.tmp pid; sleep 300" } }] }
  - when: { task: stubborn, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "trap '' TERM INT; echo $$ > pid.tmp; mv pid.tmp pid; while :; do sleep 1; done" } }] }
  - when: { task: stuck }
    reply: { fault: { kind: hang } }
  - reply: { text: "last: {{last}}" }
`;

const unasked = ["--mode", "auto", "--sandbox", "off"];

function project(): Project {
  return createProject({ "script.yaml": script });
}

/** Waits until the command of an agent runs. Returns its process id. */
async function commandOf(fixture: Project): Promise<number> {
  const file = join(fixture.path, "pid");
  await expect.poll(() => existsSync(file), { timeout: 100_000, interval: 20 }).toBe(true);
  return Number(readFileSync(file, "utf8"));
}

function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

describe.concurrent("cadre run, interrupted,", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "ends gracefully at %s and leaves no process",
    async (signal) => {
      const fixture = project();
      const { child, ended } = start(fixture, ["run", "patient", "job", ...unasked]);
      const pid = await commandOf(fixture);
      expect(isAlive(pid)).toBe(true);
      child.kill(signal);
      const { code, stdout, stderr } = await ended;
      expect(code).toBe(130);
      expect(stderr).toContain("Ctrl-C again ends at once");
      expect(stderr).toContain("cancelled: 1 run");
      expect(stdout).toBe("begun\n");
      expect(isAlive(pid)).toBe(false);
    },
  );

  it("ends at once at the second Ctrl-C, and `cadre resume` completes the cancellation", async () => {
    const fixture = project();
    const { child, ended, printed } = start(fixture, ["run", "stubborn", "job", ...unasked]);
    const pid = await commandOf(fixture);
    child.kill("SIGINT");
    await printed("is being cancelled");
    // npm and the terminal may both send the first signal, so a second one right after it does not count.
    const again = setInterval(() => child.kill("SIGINT"), 100);
    const { code, stderr } = await ended;
    clearInterval(again);
    expect(code).toBe(130);
    expect(isAlive(pid)).toBe(false);
    const [, id = ""] = /cadre resume (\S+)/.exec(stderr) ?? [];
    const resumed = await cadre(fixture, ["resume", id, "--json"]);
    // The cancel request is durable too.
    expect(resumed.code).toBe(130);
    expect(JSON.parse(resumed.stdout)).toMatchObject([{ runId: id, status: "cancelled" }]);
  });

  it.skipIf(!canFillDisk())(
    "ends at the first signal even if nothing can be recorded, and is resumed",
    async () => {
      const fixture = project();
      const { child, ended } = start(fixture, ["run", "patient", "job", ...unasked]);
      const pid = await commandOf(fixture);
      fillDisk(child.pid ?? 0);
      child.kill("SIGTERM");
      const { code, stderr } = await ended;
      expect(code).toBe(1);
      expect(stderr).toMatch(/^cadre: The disk that holds the registry .*`cadre resume`/m);
      expect(stderr).not.toContain("internal error");
      expect(isAlive(pid)).toBe(false);
      fixture.write("script.yaml", "scripts: [{ reply: { text: 'last: {{last}}' } }]\n");
      const resumed = await cadre(fixture, ["resume", "--json", ...unasked]);
      expect(resumed.code, resumed.stderr).toBe(0);
      expect(resumed.stdout).toContain("Interrupted, effect unknown");
    },
  );

  it("is continued by `cadre resume` after it was killed", async () => {
    const fixture = project();
    const { child, ended, printed } = start(fixture, ["run", "stuck", "job"]);
    await printed("main started");
    child.kill("SIGKILL");
    await ended;
    for (const words of [["runs"], ["tree", "last"], ["show", "last"]]) {
      const shown = await cadre(fixture, words);
      expect(shown.stderr).toMatch(
        /^The process of (\S+) is gone; `cadre resume \1` continues it\.\n$/,
      );
    }
    fixture.write("script.yaml", "scripts: [{ reply: { text: came through } }]\n");
    const { code, stdout, stderr } = await cadre(fixture, ["resume", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ status: "succeeded", text: "came through" }]);
    expect(stderr).toContain("main resumed: stuck job");
    expect((await cadre(fixture, ["runs"])).stderr).toBe("");
  });

  it("can be cancelled and followed from another process", async () => {
    const fixture = project();
    const { ended } = start(fixture, ["run", "patient", "job", ...unasked]);
    const pid = await commandOf(fixture);
    const following = start(fixture, ["events", "last", "--follow", "--json"]).ended;
    const owned = await cadre(fixture, ["resume", "last"]);
    expect(owned.code).toBe(2);
    expect(owned.stderr).toContain("is being executed by another process");
    const cancelled = await cadre(fixture, [
      "cancel",
      "last",
      "--reason",
      "wrong branch",
      "--json",
    ]);
    expect(JSON.parse(cancelled.stdout)).toMatchObject({ isCancelled: true, status: "cancelled" });
    expect((await ended).stderr).toContain("reason: wrong branch");
    expect((await following).stdout.trimEnd().split("\n").at(-1)).toContain("run-finished");
    expect(isAlive(pid)).toBe(false);
  });

  it("ends quietly when its output is closed", async () => {
    const fixture = project();
    const { child, ended } = start(fixture, ["run", "patient", "job", "--events", ...unasked]);
    const pid = await commandOf(fixture);
    child.stdout?.destroy();
    // The next event cannot be written.
    expect((await cadre(fixture, ["send", "last", "hello"])).code).toBe(0);
    const { stderr } = await ended;
    expect(stderr).toContain("reason: the reader of the command's output closed it");
    expect(stderr).not.toContain("EPIPE");
    expect(stderr).not.toContain("internal error");
    expect(isAlive(pid)).toBe(false);
  });
});
