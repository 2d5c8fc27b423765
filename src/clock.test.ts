import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "./clock.ts";

test("waits for as long as it was told, and not when the wall clock is set", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const called: number[] = [];
  const before = systemClock.monotonic();
  // Longer than a timer of Node can be.
  systemClock.schedule(30 * 24 * 3_600_000, () => called.push(systemClock.monotonic() - before));
  systemClock.schedule(1000, () => called.push(systemClock.monotonic() - before));
  systemClock.schedule(500, () => called.push(0))();
  vi.setSystemTime(Date.now() + 365 * 24 * 3_600_000);
  vi.advanceTimersByTime(1000);
  expect(called).toEqual([1000]);
  vi.advanceTimersByTime(30 * 24 * 3_600_000);
  expect(called).toEqual([1000, 30 * 24 * 3_600_000]);
  expect(vi.getTimerCount()).toBe(0);
});

test("does not count the time in which its process was stopped", async () => {
  const script = `
    import { systemClock } from ${JSON.stringify(join(import.meta.dirname, "clock.ts"))};
    const [real, counted] = [performance.now(), systemClock.monotonic()];
    systemClock.schedule(3000, () => {
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
  await wait(5000);
  const stoppedMs = performance.now() - stopped;
  child.kill("SIGCONT");
  const [realMs, countedMs] = JSON.parse((await lines.next()).value as string) as number[];
  expect(countedMs).toBeGreaterThanOrEqual(2999);
  // All but the second in which the next check was due.
  expect((realMs ?? 0) - (countedMs ?? 0)).toBeGreaterThanOrEqual(stoppedMs - 1100);
  await once(child, "exit");
}, 30_000);
