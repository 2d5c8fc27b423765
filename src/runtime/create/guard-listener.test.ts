import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { guardListener } from "./guard-listener.ts";

/** The warnings of the process while `act` runs, and a turn of the event loop after it. */
async function warningsOf(act: () => void | Promise<void>): Promise<string[]> {
  const seen: string[] = [];
  const onWarning = ({ message }: Error): void => void seen.push(message);
  process.on("warning", onWarning);
  await act();
  // Warnings arrive in order: when this one has arrived, so have earlier ones.
  const last = once(process, "warning");
  process.emitWarning("last");
  await last;
  process.off("warning", onWarning);
  return seen.filter((message) => message !== "last");
}

describe("a listener that throws", () => {
  test("is reported once, and still called each time", async () => {
    let calls = 0;
    const listener = guardListener(() => {
      calls += 1;
      throw new TypeError("no such field");
    }, "onEvent");
    const warnings = await warningsOf(() => {
      listener();
      listener();
    });
    expect(calls).toBe(2);
    expect(warnings).toEqual([
      expect.stringContaining("A listener given to onEvent threw: no such field."),
    ]);
  });

  test("is also reported when it is asynchronous", async () => {
    const listener = guardListener(async (value: number) => {
      await Promise.resolve();
      throw new Error(`refused ${value}`);
    }, "onActivity");
    const warnings = await warningsOf(async () => {
      listener(1);
      listener(2);
      await new Promise((resolve) => setImmediate(resolve));
    });
    expect(warnings).toEqual([expect.stringContaining("onActivity threw: refused 1.")]);
  });
});

test("a listener that does not throw gets its arguments", async () => {
  const received: unknown[] = [];
  const listener = guardListener((...values: [string, number]) => received.push(values), "onEvent");
  expect(await warningsOf(() => listener("a", 1))).toEqual([]);
  expect(received).toEqual([["a", 1]]);
});

test("a listener that changes its arguments changes its own copy", () => {
  const event = { type: "step-finished", outcome: { text: "as it was" } };
  const listener = guardListener(
    (received: typeof event) => (received.outcome.text = "changed"),
    "onEvent",
  );
  listener(event);
  expect(event.outcome.text).toBe("as it was");
});
