import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { runningWith, uniqueSeconds } from "../../../test/fixtures/marked-processes.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { findSupervisor } from "./find-supervisor.ts";
import { launchProcess } from "./launch-process.ts";
import { launchSupervised } from "./launch-supervised.ts";
import type { LaunchRequest } from "./launched-process.ts";

function request(command: readonly string[], given: Partial<LaunchRequest> = {}): LaunchRequest {
  return {
    command,
    cwd: "/",
    environment: { PATH: process.env["PATH"] ?? "" },
    marker: `CADRE_RUN_STEP=run/${uniqueSeconds()}`,
    isSandboxed: false,
    hasInput: false,
    ...given,
  };
}

function requireSupervisor(): readonly [string, ...string[]] {
  const supervisor = findSupervisor();
  if (supervisor === null) throw new Error("Expected perl on a machine with tests.");
  return supervisor;
}

const shell = (script: string): string[] => ["/bin/sh", "-c", script];

describe("a launched program", () => {
  test.each([
    ["exit 0", { exitCode: 0, signal: null }],
    ["exit 255", { exitCode: 255, signal: null }],
    ["kill -TERM $$", { exitCode: null, signal: "SIGTERM" }],
    ["kill -KILL $$", { exitCode: null, signal: "SIGKILL" }],
    ["kill -SEGV $$", { exitCode: null, signal: "SIGSEGV" }],
  ])("that runs `%s` reports how it ended", async (script, end) => {
    const { ended } = await launchProcess(request(shell(script)));
    expect(await ended).toEqual(end);
  });

  test("gets its arguments, input and environment unchanged, and none of its supervisor's", async () => {
    const environment = { PATH: "/bin:/usr/bin", EMPTY: "", ODD: "c=d\n\u{1f600}", LC_ALL: "x_Y" };
    const words = ["", "a b", "ü\n", "$HOME"];
    const script = `process.stdin.on("data", (bytes) => {
      console.log(JSON.stringify([String(bytes), process.argv.slice(1), process.env]));
    })`;
    const closed = shell('test -e /proc/$$/fd/3 || echo closed; exec "$@"');
    const command = [...closed, "sh", process.execPath, "-e", script, "--", ...words];
    const launched = await launchProcess(request(command, { environment, hasInput: true }));
    const outputs = Promise.all([text(launched.stdout), text(launched.stderr)]);
    launched.stdin?.end("input");
    const [output, problems] = await outputs;
    const [first, line = ""] = output.split("\n");
    const [input, signals, variables] = JSON.parse(line) as [string, string[], object];
    expect([first, input, signals]).toEqual(["closed", "input", words]);
    expect(variables).toMatchObject(environment);
    expect(variables).not.toHaveProperty("CADRE_SUPERVISOR");
    // Perl would complain about the locale if it inherited the variable.
    expect(problems).toBe("");
  });

  test("notices when its output is closed, and the reader notices when it closes its output", async () => {
    const closing = await launchProcess(request(shell("exec >&-; sleep 60")));
    expect(await text(closing.stdout)).toBe("");
    closing.kill();
    expect(await closing.ended).toEqual({ exitCode: null, signal: "SIGKILL" });
    const writing = await launchProcess(request(["yes"]));
    writing.stdout.destroy();
    // By SIGPIPE, or by an error when some of its output was never read.
    expect((await writing.ended).exitCode).not.toBe(0);
  });

  test("that cannot be started causes a system error", async () => {
    const folder = temporaryFolder();
    const code = async (command: string[], given: Partial<LaunchRequest> = {}): Promise<unknown> =>
      await launchProcess(request(command, given)).catch(
        (error: unknown) => (error as NodeJS.ErrnoException).code,
      );
    expect(await code(["no-such-program"])).toBe("ENOENT");
    expect(await code([folder])).toBe("EACCES");
    expect(await code(["true"], { cwd: join(folder, "gone") })).toBe("ENOENT");
    expect(await code(["true", "a\0b"])).toBe("ERR_INVALID_ARG_VALUE");
    expect(await code(["true", "x".repeat(200_000)])).toBe("E2BIG");
  });

  test("is asked to end together with the processes that left its group", async () => {
    const seconds = uniqueSeconds();
    const script = `trap 'echo told; exit 3' TERM; env -i setsid sh -c 'trap "echo told; exit" TERM; echo on; while :; do sleep 0.01; done' sh ${seconds} & while :; do sleep 0.01; done`;
    const launched = await launchProcess(request(shell(script)));
    let output = "";
    launched.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
    const closed = once(launched.stdout, "close");
    await expect.poll(() => output).toContain("on");
    launched.terminate();
    expect(await launched.ended).toEqual({ exitCode: 3, signal: null });
    await closed;
    expect(output).toContain("told");
    expect(runningWith(seconds)).toEqual([]);
  });

  test("ends its process group where there is no subreaper", async () => {
    const seconds = uniqueSeconds();
    const [perl, script = ""] = requireSupervisor();
    const command = request(shell(`sleep ${seconds} & echo on; exit 5`));
    const launched = await launchSupervised([perl, script, "0"], command, {});
    expect(await launched.ended).toEqual({ exitCode: 5, signal: null });
    await expect.poll(() => runningWith(seconds)).toEqual([]);
  });

  test.each([0, 5, 20, 60])(
    "does not outlive a Cadre that is killed %i ms after its start",
    async (delayMs) => {
      const seconds = uniqueSeconds();
      const script = join(
        import.meta.dirname,
        "../../../test/fixtures/process/launching-process.ts",
      );
      const cadre = spawn(process.execPath, [script, seconds, String(delayMs)], {
        stdio: "ignore",
      });
      expect(await once(cadre, "exit")).toEqual([null, "SIGKILL"]);
      await expect.poll(() => runningWith(seconds), { timeout: 10_000, interval: 10 }).toEqual([]);
    },
  );
});

describe("a supervisor", () => {
  test("that its program stops before it answers is woken", async () => {
    const [perl] = requireSupervisor();
    const script = String.raw`open(my $cadre, "+<&=", 3); sysread($cadre, my $request, 9999);
      kill("STOP", $$); syswrite($cadre, "started $$\n"); syswrite($cadre, "ended 0\n");`;
    const launched = await launchSupervised([perl, "-e", script], request(["x"]), {});
    expect(await launched.ended).toEqual({ exitCode: 0, signal: null });
  });

  test("notices the end of its program when the signal about it is lost", async () => {
    const [perl, ...words] = requireSupervisor();
    const block = "POSIX::sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGCHLD)); exec @ARGV";
    const command = [perl, "-MPOSIX", "-e", block, perl, ...words] as const;
    const launched = await launchSupervised(command, request(shell("exit 3")), {});
    expect(await launched.ended).toEqual({ exitCode: 3, signal: null });
  });
});
