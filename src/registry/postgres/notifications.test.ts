import { describe, expect, onTestFinished, test } from "vitest";
import { newSchema, postgresUrl } from "../../../test/fixtures/postgres/test-schema.ts";
import { created, finished } from "../../../test/fixtures/run-spec.ts";
import { systemClock } from "../../clock.ts";
import type { Registry } from "../registry.ts";
import { readPostgresOptions } from "./connection/postgres-options.ts";
import { openPostgresRegistry } from "./postgres-registry.ts";

const never = new AbortController().signal;

/** Opens a registry. With `isNotified`, it learns of changes only from notifications, because it never polls. */
function open(schema: string, { isNotified = false } = {}): Registry {
  const address = readPostgresOptions({ url: postgresUrl ?? "", schema, migrate: true });
  const clock = isNotified ? { ...systemClock, scheduleIdly: () => () => undefined } : systemClock;
  const registry = openPostgresRegistry({ address, clock });
  onTestFinished(() => registry.close().catch(() => undefined));
  return registry;
}

/** Reports what has happened, in its order. */
function follow(happenings: Readonly<Record<string, Promise<unknown>>>): string[] {
  const happened: string[] = [];
  for (const [name, promise] of Object.entries(happenings))
    void promise.then(() => happened.push(name));
  return happened;
}

describe.skipIf(postgresUrl === undefined)("a notification", () => {
  test("of an event or of the end of another run does not wake who waits for the end of a run", async () => {
    const schema = newSchema();
    const [reader, writer] = [open(schema, { isNotified: true }), open(schema)];
    const event = reader.changed(never);
    const end = reader.changed(never, (id) => id === "r");
    const otherEnd = reader.changed(never, (id) => id === "s");
    const happened = follow({ event, end, otherEnd });
    // Later statements wait until it hears of every change.
    await reader.runs();
    writer.append("r", created("r"));
    writer.append("r", { type: "run-started", owner: "x" });
    await writer.flushed();
    await event;
    writer.append("s", created("s"));
    writer.append("s", finished("s"));
    await writer.flushed();
    await otherEnd;
    // A connection delivers notifications in their order.
    expect(happened).toEqual(["event", "otherEnd"]);
    writer.append("r", finished("r"));
    await writer.flushed();
    await end;
  });

  test("of more ends than it has room for wakes everybody", async () => {
    const schema = newSchema();
    const [reader, writer] = [open(schema, { isNotified: true }), open(schema)];
    const end = reader.changed(never, (id) => id === "absent");
    await reader.runs();
    for (let at = 0; at < 200; at += 1) {
      const id = `${"r".repeat(40)}${at}`;
      writer.append(id, created(id));
      writer.append(id, finished(id));
    }
    await writer.flushed();
    await end;
  });

  test("of a request wakes the owner of the run", async () => {
    const schema = newSchema();
    const [owner, sender] = [open(schema, { isNotified: true }), open(schema)];
    const asked = new Promise((resolve) => {
      owner.onRequest(async (request) => (resolve(request), true));
    });
    owner.append("r", created("r"));
    await owner.flushed();
    await owner.runs();
    await sender.request("r", "cancel", { reason: "enough", by: "user" });
    expect(await asked).toMatchObject({ runId: "r", kind: "cancel" });
  });

  test("is not missed by one that begins to wait for another kind later", async () => {
    const schema = newSchema();
    const [reader, writer] = [open(schema, { isNotified: true }), open(schema)];
    const end = reader.changed(never, (id) => id === "r");
    await reader.runs();
    const event = reader.changed(never);
    await reader.runs();
    writer.append("r", created("r"));
    await writer.flushed();
    await event;
    writer.append("r", finished("r"));
    await writer.flushed();
    await end;
  });
});
