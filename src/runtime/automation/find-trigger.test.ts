import { expect, test } from "vitest";
import { findTrigger } from "./start-trigger.ts";

test("a missing trigger is reported with those that exist", () => {
  expect(() => findTrigger({ nightly: {} }, "nightl")).toThrow(
    'Expected the name of a trigger, one of nightly; got "nightl".',
  );
  expect(() => findTrigger({}, "nightly")).toThrow(
    'There is no trigger "nightly": the configuration has no triggers.',
  );
});
