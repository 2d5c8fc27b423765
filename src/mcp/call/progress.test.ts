import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Notification } from "@modelcontextprotocol/server";
import type { Cadre, Run, RunEvent } from "../../host.ts";
import type { Call } from "../client/call.ts";
import type { Client } from "../client/client.ts";
import { reportProgress } from "./progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("repeats the last report while there is no new one, so that clients do not time out", async () => {
  let listener: (event: RunEvent, run: Run) => void = () => undefined;
  const onEvent = (given: typeof listener): (() => void) => {
    listener = given;
    return () => undefined;
  };
  const client = { cadre: () => Promise.resolve({ onEvent } as unknown as Cadre) } as Client;
  const call = { concerns: () => true } as unknown as Call;
  const notifications: unknown[] = [];
  const send = ({ params }: Notification): void =>
    void notifications.push([params?.["progress"], params?.["message"]]);
  const stop = await reportProgress(client, call, { token: 1, send });
  vi.advanceTimersByTime(10_000);
  const run = { id: "r", parentId: null, rootId: "r", label: null, agent: "main", attempts: 1 };
  listener({ type: "run-started" } as RunEvent, run as Run);
  vi.advanceTimersByTime(9_999);
  expect(notifications).toHaveLength(2);
  vi.advanceTimersByTime(10_001);
  stop();
  vi.advanceTimersByTime(60_000);
  expect(notifications).toEqual([
    [1, "waiting"],
    [2, "main: begins as run r"],
    [3, "main: begins as run r"],
    [4, "main: begins as run r"],
  ]);
});
