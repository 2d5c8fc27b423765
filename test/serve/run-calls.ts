import { expect, vi } from "vitest";
import type { ServedFixture } from "./serve-fixture.ts";

/** Starts a run over the API. Returns its id. */
export async function beginRun(
  { call }: ServedFixture,
  task: string,
  key?: string,
): Promise<string> {
  const headers = key === undefined ? {} : { "idempotency-key": key };
  const { status, json } = await call("/runs", { agent: "main", task }, headers);
  expect([200, 201]).toContain(status);
  return json["run"].id as string;
}

/** Waits until a run has a status. */
export async function awaitStatus(
  { call }: ServedFixture,
  id: string,
  status: string,
): Promise<void> {
  await vi.waitFor(
    async () => expect((await call(`/runs/${id}`)).json["run"].status).toBe(status),
    { timeout: 20_000, interval: 50 },
  );
}
