import { copyFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../../test/fixtures/fake-clock.ts";
import { created, finished } from "../../../test/fixtures/run-spec.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import type { Registry } from "../registry.ts";
import { openRegistry, type RegistryOptions } from "./sqlite-registry.ts";

function newPath(): string {
  return join(temporaryFolder(), "cadre.db");
}

function open(options: RegistryOptions): Registry {
  const registry = openRegistry(options);
  onTestFinished(() => registry.close().catch(() => undefined));
  return registry;
}

describe("a registry whose files are deleted or replaced while it is in use", () => {
  const replace = (path: string): void => {
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
  };
  const cases: { name: string; act: (path: string) => void; message: RegExp }[] = [
    { name: "deleted", act: (path) => rmSync(path), message: /cadre\.db was deleted/ },
    { name: "replaced", act: replace, message: /cadre\.db was replaced by another file/ },
    {
      name: "without its log",
      act: (path) => rmSync(`${path}-wal`),
      message: /cadre\.db-wal was deleted/,
    },
  ];

  test.each(cases)("refuses writes when it is $name", async ({ act, message }) => {
    const path = newPath();
    const registry = open({ path });
    registry.append("r", created("r"));
    await registry.flushed();
    registry.append("r", { type: "run-started", owner: "1" });
    await registry.flushed();
    act(path);
    registry.append("r", finished("r"));
    await expect(registry.flushed()).rejects.toThrow(message);
    expect(registry.failed.reason).toMatchObject({ code: "registry-unavailable" });
  });

  test("fails at the next heartbeat when nothing is written", async () => {
    const path = newPath();
    const clock = createFakeClock(Date.now());
    const registry = open({ path, clock });
    registry.append("r", created("r"));
    await registry.flushed();
    rmSync(path);
    clock.advance(3000);
    expect(registry.failed.reason).toMatchObject({ code: "registry-unavailable" });
  });

  test("can be opened again by the same process, which may then claim its runs", async () => {
    const path = newPath();
    const failed = open({ path });
    failed.append("r", created("r"));
    await failed.flushed();
    failed.fail(new Error("full"));
    expect(await open({ path }).claim("r")).toBe(false);
    const next = open({ path, formerOwners: [failed.ownerId] });
    expect(await next.abandoned()).toEqual(["r"]);
    expect(await next.claim("r")).toBe(true);
    next.append("r", finished("r"));
    await next.flushed();
  });
});
