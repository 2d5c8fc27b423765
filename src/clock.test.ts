import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "./clock.ts";

/** A time that the test advances. With Vitest's fake timers, a month of checks every second takes seconds. */
function fakeTime(): { pass: (ms: number) => void; timers: () => number } {
  let now = 0;
  const timers = new Map<object, { at: number; action: () => void }>();
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.stubGlobal("performance", { now: () => now });
  vi.stubGlobal("clearTimeout", (timer: object) => timers.delete(timer));
  vi.stubGlobal("setTimeout", (action: () => void, delayMs: number) => {
    const timer = { unref: () => timer };
    // Like Node, which turns a delay that is too long into 1 ms.
    timers.set(timer, { at: now + (delayMs > 2 ** 31 - 1 ? 1 : delayMs), action });
    return timer;
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  return {
    timers: () => timers.size,
    pass(ms) {
      const end = now + ms;
      while (timers.size > 0) {
        const [timer, { at, action }] = [...timers].reduce((a, b) => (b[1].at < a[1].at ? b : a));
        if (at > end) break;
        timers.delete(timer);
        now = at;
        action();
      }
      now = end;
    },
  };
}

test("waits for the given time, even when the wall clock is changed", () => {
  const time = fakeTime();
  const called: number[] = [];
  const before = systemClock.monotonic();
  // Longer than a Node timer can be.
  systemClock.schedule(30 * 24 * 3_600_000, () => called.push(systemClock.monotonic() - before));
  systemClock.schedule(1000, () => called.push(systemClock.monotonic() - before));
  systemClock.schedule(500, () => called.push(0))();
  vi.setSystemTime(Date.now() + 365 * 24 * 3_600_000);
  time.pass(1000);
  expect(called).toEqual([1000]);
  time.pass(30 * 24 * 3_600_000);
  expect(called).toEqual([1000, 30 * 24 * 3_600_000]);
  expect(time.timers()).toBe(0);
});

test("does not count the time in which its process was stopped", async () => {
  const script = `
    import { systemClock } from ${JSON.stringify(join(import.meta.dirname, "clock.ts"))};
    const [real, counted] = [performance.now(), systemClock.monotonic()];
    systemClock.schedule(1500, () => {
      const times = [performance.now() - real, systemClock.monotonic() - counted];
      console.log(JSON.stringify(times));
    });
    console.log("scheduled");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("scheduled");
  child.kill("SIGSTOP");
  while (!/^State:\s+T/m.test(await readFile(`/proc/${child.pid}/status`, "utf8"))) await wait(5);
  const stopped = performance.now();
  await wait(3500);
  const stoppedMs = performance.now() - stopped;
  child.kill("SIGCONT");
  const [realMs, countedMs] = JSON.parse((await lines.next()).value as string) as number[];
  expect(countedMs).toBeGreaterThanOrEqual(1499);
  // The whole time except the second in which the next check was due.
  expect((realMs ?? 0) - (countedMs ?? 0)).toBeGreaterThanOrEqual(stoppedMs - 1100);
  await once(child, "exit");
}, 30_000);
