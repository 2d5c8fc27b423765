import { expect, test } from "vitest";
import { createIdGenerator, spanIdOf, traceIdOf, withIds } from "./ids.ts";

test("ids follow from runs and steps, and differ between them", () => {
  const ids = [spanIdOf("a"), spanIdOf("b"), spanIdOf("a", "model/1"), spanIdOf("a", "model/2")];
  expect(new Set(ids).size).toBe(4);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{16}$/);
  expect(traceIdOf("a")).toMatch(/^[\da-f]{32}$/);
  expect(spanIdOf("a", "model/1")).toBe(ids[2]);
});

test("the generator gives spans of Cadre their ids, and others random ones", () => {
  const generator = createIdGenerator();
  const ids = { traceId: traceIdOf("a"), spanId: spanIdOf("a") };
  const given = withIds(ids, () => [generator.generateTraceId(), generator.generateSpanId()]);
  expect(given).toEqual([ids.traceId, ids.spanId]);
  expect(generator.generateSpanId()).toMatch(/^[\da-f]{16}$/);
  expect(generator.generateSpanId()).not.toBe(generator.generateSpanId());
  expect(generator.generateTraceId()).not.toBe(ids.traceId);
});
