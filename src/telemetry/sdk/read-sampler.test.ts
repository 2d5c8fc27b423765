import { expect, test } from "vitest";
import { readSampler } from "./read-sampler.ts";

test.each([
  [undefined, undefined, "ParentBased{root=AlwaysOnSampler"],
  ["always_on", undefined, "AlwaysOnSampler"],
  ["always_off", undefined, "AlwaysOffSampler"],
  ["traceidratio", "0.25", "TraceIdRatioBased{0.25}"],
  ["traceidratio", "7", "TraceIdRatioBased{1}"],
  ["parentbased_always_off", undefined, "ParentBased{root=AlwaysOffSampler"],
  ["parentbased_traceidratio", "0.5", "ParentBased{root=TraceIdRatioBased{0.5}"],
  ["unknown", undefined, "AlwaysOnSampler"],
])("the sampler %s with %s is %s", (name, argument, expected) => {
  const environment = { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument };
  expect(readSampler(environment).toString()).toContain(expected);
});
