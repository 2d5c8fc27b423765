import { describe, expect, test } from "vitest";
import { createFakeClock, type FakeClock } from "../../../test/fixtures/fake-clock.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";

const second = 1000;

/** A watchdog with limits of 300 s in total and 120 s of silence. */
function setUp(): { clock: FakeClock; watchdog: Watchdog; barks: string[] } {
  const clock = createFakeClock();
  const barks: string[] = [];
  const watchdog = createWatchdog({
    clock,
    remainingMs: 300 * second,
    stallMs: 120 * second,
    onTimeout: () => barks.push(`timed out at ${clock.now() / second - 1000}`),
    onStall: () => barks.push(`stalled at ${clock.now() / second - 1000}`),
  });
  return { clock, watchdog, barks };
}

/** Lets code that waits for promises continue. */
async function runPendingWork(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}

describe("a watchdog", () => {
  test("ends a run that is silent", () => {
    const { clock, barks } = setUp();
    clock.advance(119 * second);
    expect(barks).toEqual([]);
    clock.advance(second);
    expect(barks).toEqual(["stalled at 120"]);
  });

  test("counts silence from the last sign", () => {
    const { clock, watchdog, barks } = setUp();
    clock.advance(100 * second);
    watchdog.heartbeat();
    clock.advance(119 * second);
    expect(barks).toEqual([]);
    clock.advance(second);
    expect(barks).toEqual(["stalled at 220"]);
  });

  test("ends a run at its timeout, even if it is active", () => {
    const { clock, watchdog, barks } = setUp();
    for (let tick = 0; tick < 30; tick += 1) {
      clock.advance(10 * second);
      watchdog.heartbeat();
    }
    expect(barks).toEqual(["timed out at 300"]);
  });

  test("stops both clocks while the run waits for an answer", async () => {
    const { clock, watchdog, barks } = setUp();
    clock.advance(100 * second);
    const answer = Promise.withResolvers<void>();
    const waiting = watchdog.pauseWhile(answer.promise);
    clock.advance(10_000 * second);
    expect(barks).toEqual([]);
    answer.resolve();
    await waiting;
    clock.advance(119 * second);
    expect(barks).toEqual([]);
    clock.advance(second);
    expect(barks).toEqual(["stalled at 10220"]);
    clock.advance(80 * second);
    expect(barks.at(-1)).toBe("timed out at 10300");
  });

  test("continues when the last of several questions is answered", async () => {
    const { clock, watchdog, barks } = setUp();
    const [first, last] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const both = Promise.all([
      watchdog.pauseWhile(first.promise),
      watchdog.pauseWhile(last.promise),
    ]);
    first.resolve();
    await runPendingWork();
    clock.advance(1000 * second);
    expect(barks).toEqual([]);
    last.resolve();
    await both;
    clock.advance(120 * second);
    expect(barks).toEqual(["stalled at 1120"]);
  });

  test("lets children be silent, but not exceed the timeout of the run", async () => {
    const { clock, watchdog, barks } = setUp();
    void watchdog.ignoreSilenceWhile(new Promise(() => undefined));
    clock.advance(299 * second);
    expect(barks).toEqual([]);
    clock.advance(second);
    expect(barks).toEqual(["timed out at 300"]);
  });

  test("lets a command be silent for its declared time, and no longer", async () => {
    const { clock, watchdog, barks } = setUp();
    void watchdog.allowSilence(200 * second, new Promise(() => undefined));
    clock.advance(199 * second);
    expect(barks).toEqual([]);
    clock.advance(second);
    expect(barks).toEqual(["stalled at 200"]);
  });

  test("applies the usual limit again after a long command has ended", async () => {
    const { clock, watchdog, barks } = setUp();
    const command = Promise.withResolvers<void>();
    const done = watchdog.allowSilence(250 * second, command.promise);
    // The check at 120 s schedules the next one for 250 s.
    clock.advance(125 * second);
    command.resolve();
    await done;
    clock.advance(119 * second);
    expect(barks).toEqual([]);
    clock.advance(second);
    expect(barks).toEqual(["stalled at 245"]);
  });

  test("that is stopped does nothing more, even with active calls", async () => {
    const { clock, watchdog, barks } = setUp();
    const [answer, command] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waits = [watchdog.pauseWhile(answer.promise), watchdog.allowSilence(1, command.promise)];
    watchdog.stop();
    answer.resolve();
    command.resolve();
    await Promise.all(waits);
    expect(clock.pending).toBe(0);
    clock.advance(1000 * second);
    expect(barks).toEqual([]);
  });
});
