import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../test/fixtures/fake-clock.ts";
import { created, finished } from "../../test/fixtures/run-spec.ts";
import { temporaryFolder } from "../../test/fixtures/tool-call.ts";
import { openRegistry } from "./sqlite-registry.ts";

const hour = 60 * 60 * 1000;

function open() {
  const clock = createFakeClock();
  const registry = openRegistry({ path: join(temporaryFolder(), "cadre.db"), clock });
  onTestFinished(() => registry.close());
  /** A run with a definition and an image of its own, both of that name. */
  const write = (id: string): { definition: string; content: string } => {
    const definition = registry.putDefinition({ name: id });
    const content = registry.putDefinition({ data: id });
    const images = [{ mediaType: "image/png", content }];
    registry.append(id, created(id, { definition, images }));
    return { definition, content };
  };
  return { clock, registry, write };
}

describe("forgetting runs", () => {
  test("forgets the definitions and images that no run is left of, and no others", async () => {
    const { clock, registry, write } = open();
    const ended = write("ended");
    const alive = write("alive");
    registry.append("ended", finished("ended"));
    await registry.flushed();
    clock.advance(2 * hour);
    expect(await registry.prune(clock.now())).toEqual(["ended"]);
    expect(await registry.definition(ended.definition)).toBeUndefined();
    expect(await registry.definition(ended.content)).toBeUndefined();
    expect(await registry.definition(alive.definition)).toEqual({ name: "alive" });
    expect(await registry.definition(alive.content)).toEqual({ data: "alive" });
  });

  test("leaves definitions alone that were asked for lately: their run may not be written yet", async () => {
    const { clock, registry } = open();
    const definition = { name: "later" };
    const hash = registry.putDefinition(definition);
    await registry.flushed();
    clock.advance(0.9 * hour);
    expect(registry.putDefinition(definition)).toBe(hash);
    await registry.flushed();
    clock.advance(0.9 * hour);
    await registry.prune(clock.now());
    expect(await registry.definition(hash)).toEqual(definition);
    clock.advance(hour);
    await registry.prune(clock.now());
    expect(await registry.definition(hash)).toBeUndefined();
  });
});
