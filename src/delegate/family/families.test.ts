import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { created, finished } from "../../../test/fixtures/run-spec.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import type { Registry } from "../../registry/registry.ts";
import { openTestRegistry } from "../../../test/fixtures/registry/test-registry.ts";
import { createFamilies } from "./families.ts";

const child = { rootId: "t-r", parentId: "t-r", depth: 1 };

/** A registry with a root that has an active and an ended child. */
async function createFixture(): Promise<{ registry: Registry; reads: () => number }> {
  const registry = openTestRegistry({ path: join(temporaryFolder(), "cadre.db") });
  onTestFinished(() => registry.close());
  registry.append("t-r", created("t-r"));
  registry.append("t-a", created("t-a", { ...child, parentStep: "1", label: "a" }));
  registry.append("t-b", created("t-b", { ...child, parentStep: "2", label: "b" }));
  registry.append("t-b", finished("t-b"));
  await registry.flushed();
  let count = 0;
  const family = (rootId: string) => {
    count += 1;
    return registry.family(rootId);
  };
  return { registry: { ...registry, family }, reads: () => count };
}

describe("the families of a process", () => {
  test("are read once, also by concurrent readers, with their active runs", async () => {
    const { registry, reads } = await createFixture();
    const families = createFamilies(registry);
    const [family, again] = await Promise.all([families.of("t-r"), families.of("t-r")]);
    expect(again).toBe(family);
    expect(reads()).toBe(1);
    expect(family.runs).toBe(3);
    expect(family.childrenAtWork("t-r")).toBe(1);
    expect(family.labelled("b")?.id).toBe("t-b");
  });

  test("are updated by runs that no agent delegated, and by every end", async () => {
    const { registry } = await createFixture();
    const families = createFamilies(registry);
    const family = await families.of("t-r");
    registry.append("t-c", created("t-c", { ...child, parentStep: "retry", label: "b" }));
    await registry.flushed();
    expect(family.labelled("b")?.id).toBe("t-c");
    expect(family.childrenAtWork("t-r")).toBe(2);
    registry.append("t-a", finished("t-a"));
    registry.append("t-c", finished("t-c"));
    await registry.flushed();
    expect(family.childrenAtWork("t-r")).toBe(0);
  });

  test("do not count a child as active while it waits for its dependencies", async () => {
    const { registry } = await createFixture();
    const waiting = { ...child, dependsOn: ["t-a"] };
    registry.append("t-c", created("t-c", { ...waiting, parentStep: "3" }));
    await registry.flushed();
    const families = createFamilies(registry);
    const family = await families.of("t-r");
    registry.append("t-d", created("t-d", { ...waiting, parentStep: "4" }));
    await registry.flushed();
    expect(family.childrenAtWork("t-r")).toBe(1);
    registry.append("t-c", { type: "dependencies-settled" });
    registry.append("t-c", { type: "run-started", owner: "1" });
    registry.append("t-d", finished("t-d"));
    await registry.flushed();
    expect(family.childrenAtWork("t-r")).toBe(2);
    registry.append("t-c", finished("t-c"));
    await registry.flushed();
    expect(family.childrenAtWork("t-r")).toBe(1);
    expect(family.isAtWork).toBe(true);
  });

  test("are dropped when none of their runs is active, not before", async () => {
    const { registry, reads } = await createFixture();
    const families = createFamilies(registry);
    await families.of("t-r");
    registry.append("t-r", finished("t-r"));
    await registry.flushed();
    await families.of("t-r");
    expect(reads()).toBe(1);
    registry.append("t-a", finished("t-a"));
    await registry.flushed();
    await families.of("t-r");
    expect(reads()).toBe(2);
  });

  test("that could not be read are read again", async () => {
    const { registry } = await createFixture();
    let fails = true;
    const family: Registry["family"] = async (rootId) => {
      if (!fails) return await registry.family(rootId);
      fails = false;
      throw new Error("locked");
    };
    const families = createFamilies({ ...registry, family });
    await expect(families.of("t-r")).rejects.toThrow("locked");
    expect((await families.of("t-r")).runs).toBe(3);
  });
});
